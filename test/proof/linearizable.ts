/**
 * Whether a history of calls on one object has an order in which each call seems to happen at once, between its beginning
 * and its end: the search of Wing and Gong with Lowe's memory of what was tried, as Porcupine does it.
 */

/** What an object is: pure, and its states comparable by text. */
export interface Model<Input, Output, State> {
  readonly initial: State;
  /** The state after the call; undefined where the object cannot answer so. `output` undefined: nobody heard an answer. */
  readonly step: (state: State, input: Input, output: Output | undefined) => State | undefined;
  readonly text: (state: State) => string;
}

export interface Operation<Input, Output> {
  readonly input: Input;
  /** Undefined where nobody heard an answer: it may have happened at any time since, or never. */
  readonly output: Output | undefined;
  readonly calledAt: number;
  /** Infinite where nobody heard an answer. */
  readonly answeredAt: number;
}

interface Entry<Input, Output> {
  readonly index: number;
  readonly operation: Operation<Input, Output>;
  /** Of a call, its end; null of an end. */
  readonly end: Entry<Input, Output> | null;
  before: Entry<Input, Output> | null;
  after: Entry<Input, Output> | null;
}

export function isLinearizable<Input, Output, State>(
  model: Model<Input, Output, State>,
  operations: readonly Operation<Input, Output>[],
): boolean {
  const head = linked(operations);
  const tried = new Set<string>();
  const done: { readonly entry: Entry<Input, Output>; readonly state: State }[] = [];
  let state = model.initial;
  let taken = 0n;
  let entry = head.after;
  while (head.after) {
    if (!entry) throw new RangeError('an end of a call is missing in the list');
    if (entry.end) {
      const { input, output } = entry.operation;
      const next = model.step(state, input, output);
      const nowTaken = taken | (1n << BigInt(entry.index));
      const seen = next === undefined ? '' : `${nowTaken.toString(36)} ${model.text(next)}`;
      if (next !== undefined && !tried.has(seen)) {
        tried.add(seen);
        done.push({ entry, state });
        [state, taken] = [next, nowTaken];
        lift(entry);
        entry = head.after;
      } else entry = entry.after;
    } else {
      // It ended without a place before its end: the last choice was wrong.
      const last = done.pop();
      if (!last) return false;
      state = last.state;
      taken &= ~(1n << BigInt(last.entry.index));
      unlift(last.entry);
      entry = last.entry.after;
    }
  }
  return true;
}

/** Calls and ends in the order of time behind an empty head; of two at one time the call comes first. */
function linked<Input, Output>(operations: readonly Operation<Input, Output>[]): Entry<Input, Output> {
  const entries = operations.flatMap((operation, index) => {
    const end: Entry<Input, Output> = { index, operation, end: null, before: null, after: null };
    const call: Entry<Input, Output> = { index, operation, end, before: null, after: null };
    return [
      { at: operation.calledAt, entry: call },
      { at: operation.answeredAt, entry: end },
    ];
  });
  const isCall = (entry: Entry<Input, Output>): number => (entry.end ? 0 : 1);
  entries.sort((a, b) => (a.at === b.at ? isCall(a.entry) - isCall(b.entry) : a.at - b.at));
  const operation = { input: undefined, output: undefined, calledAt: 0, answeredAt: 0 } as never;
  const head: Entry<Input, Output> = { index: -1, operation, end: null, before: null, after: null };
  let last = head;
  for (const { entry } of entries) {
    last.after = entry;
    entry.before = last;
    last = entry;
  }
  return head;
}

function lift<Input, Output>(call: Entry<Input, Output>): void {
  for (const entry of [call, call.end as Entry<Input, Output>]) {
    if (entry.before) entry.before.after = entry.after;
    if (entry.after) entry.after.before = entry.before;
  }
}

function unlift<Input, Output>(call: Entry<Input, Output>): void {
  for (const entry of [call.end as Entry<Input, Output>, call]) {
    if (entry.before) entry.before.after = entry;
    if (entry.after) entry.after.before = entry;
  }
}
