/** Two small actors for the tests of the runtime: one that writes what it is told, one that collects durable messages. */
import type { AnyAddress, AnyMessage } from '../../src/actors/runtime/address.ts';
import type { Behaviour, Delivery, Step } from '../../src/actors/runtime/behaviour.ts';
import { CodedError } from '../../src/base/errors.ts';
import { textKey } from '../../src/store/kv/keys.ts';
import type { Reader } from '../../src/store/kv/store.ts';

export interface ToyEnv {
  /** Every message that a toy handled, as `id type`. */
  readonly handled: string[];
  readonly dismissed: string[];
  label: string;
}

export function newToyEnv(): ToyEnv {
  return { handled: [], dismissed: [], label: 'first' };
}

export type CounterMessage =
  | {
      readonly type: 'add';
      readonly n: number;
      readonly timerMs?: number | null;
      readonly padding?: number;
      readonly weight?: number;
    }
  | { readonly type: 'get' | 'crash' | 'refuse' | 'coded' | 'label' | 'stop' | 'timer' | 'wake' }
  /** Adds, and sends the same number in a durable message. */
  | { readonly type: 'send'; readonly n: number; readonly to: AnyAddress }
  /** Sends it and writes nothing of its own. */
  | { readonly type: 'pass'; readonly n: number; readonly to: AnyAddress }
  | { readonly type: 'tell'; readonly to: AnyAddress; readonly message: AnyMessage; readonly n: number }
  | { readonly type: 'timerIn'; readonly ms: number | null };

export interface CounterState {
  readonly id: string;
  total: number;
}

export const COUNTER_IDLE_MS = 1_000;

export const counter: Behaviour<CounterState, CounterMessage, ToyEnv> = {
  kind: 'counter',
  hydrate: (id, reader) => ({
    id,
    total: Number(Buffer.from(reader.get('job', textKey(id)) ?? textKey('0')).toString()),
  }),
  receive: (state, message, _now, env) => {
    env.handled.push(message.type);
    return count(state, message, env);
  },
  weightOf: (message) => ('weight' in message ? (message.weight ?? 1) : 1),
  dismiss: (state, env) => void env.dismissed.push(String(state.total)),
  // One that has counted to a thousand is never forgotten.
  idleMs: ({ total }) => (total >= 1_000 ? null : COUNTER_IDLE_MS),
};

function count(state: CounterState, message: CounterMessage, env: ToyEnv): Step<CounterState> {
  switch (message.type) {
    case 'add':
      state.total += message.n;
      return {
        ...written(state, message.padding),
        signals: [{ type: `added ${message.n}` }],
        ...(message.timerMs === undefined ? {} : { timerMs: message.timerMs }),
      };
    case 'send':
      state.total += message.n;
      return {
        ...written(state),
        deliver: [{ to: message.to, message: { type: 'outgoing', n: message.n } as AnyMessage }],
      };
    case 'pass': {
      const outgoingMessage = { type: 'outgoing', n: message.n } as AnyMessage;
      return {
        state,
        reply: message.n,
        deliver: [{ to: message.to, message: outgoingMessage }],
        signals: [{ type: 'passed' }],
      };
    }
    case 'tell':
      state.total += message.n;
      return { ...written(state), tell: [{ to: message.to, message: message.message }] };
    case 'stop':
      return { ...written(state), stop: true };
    case 'timerIn':
      return { state, reply: state.total, timerMs: message.ms };
    case 'refuse':
      return { state, refuse: { name: 'notFound', detail: 'no such thing' } };
    case 'crash':
      state.total += 1_000_000;
      throw new Error('a bug of ours');
    case 'coded':
      throw new CodedError('invalid', 'not like this');
    case 'label':
      return { state, reply: env.label };
    default:
      return { state, reply: state.total };
  }
}

function written(state: CounterState, padding = 0): Step<CounterState> {
  const value = Buffer.alloc(Math.max(padding, 8), ' ');
  value.write(String(state.total));
  return { state, reply: state.total, writes: [{ table: 'job', key: textKey(state.id), value }] };
}

export interface OutgoingMessage extends AnyMessage {
  readonly type: 'outgoing';
  readonly n: number;
}

/** `applied` is filled in by `prepare` for replays: the last delivery that the store has. */
export type ReceiverMessage =
  | { readonly type: 'get' | 'flush' | 'crash' | 'wake' | 'timer' }
  | (Delivery & { readonly applied?: number });

export interface ReceiverState {
  readonly id: string;
  sum: number;
  lastSeq: number;
}

/** Folds messages in memory, and now and then writes the sum with the number up to which it is complete. */
export const receiver: Behaviour<ReceiverState, ReceiverMessage, ToyEnv> = {
  kind: 'receiver',
  hydrate: (id, reader) => {
    const { sum, seq } = storedOf(reader, id);
    return { id, sum, lastSeq: seq };
  },
  prepare: (state, message, reader) =>
    message.type === 'delivery' && message.replayed ? { ...message, applied: storedOf(reader, state.id).seq } : message,
  receive: (state, message, _now, env) => {
    env.handled.push(message.type);
    switch (message.type) {
      case 'delivery':
        state.lastSeq = message.seq;
        if (message.seq > (message.applied ?? 0))
          for (const { n } of message.messages as OutgoingMessage[]) state.sum += n;
        return { state, timerMs: 60_000 };
      case 'timer':
      case 'flush': {
        const value = textKey(JSON.stringify({ sum: state.sum, seq: state.lastSeq }));
        return { state, writes: [{ table: 'meta', key: textKey(state.id), value }], acknowledged: state.lastSeq };
      }
      case 'crash':
        throw new Error('a bug of ours');
      default:
        return { state, reply: state.sum };
    }
  },
  idleMs: () => 500,
};

function storedOf(reader: Reader, id: string): { sum: number; seq: number } {
  reader.refresh();
  const bytes = reader.get('meta', textKey(id));
  return bytes ? (JSON.parse(Buffer.from(bytes).toString()) as { sum: number; seq: number }) : { sum: 0, seq: 0 };
}
