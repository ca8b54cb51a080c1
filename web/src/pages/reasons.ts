/** Why jobs of a list failed, the commonest reasons first. Pure. */

interface Told {
  readonly lastEventDetail?: string | null;
}

/** More are not read; and what happened once the list says itself. */
const CHIPS_MAX = 6;

/** Figures at the end, in brackets: `exit 137: out of memory (limit 16384 MiB)`. Jobs that differ by them failed alike. */
const FIGURES = / \([^()]*\)$/;

/** The exit code at the beginning, where a cause follows: jobs that ended for one cause may end with several. */
const EXIT_CODE = /^exit \d+: /;

/** Empty where none was given. */
function reasonOf({ lastEventDetail }: Told): string {
  return (lastEventDetail ?? '').replace(EXIT_CODE, '').replace(FIGURES, '');
}

function countsByReason(rows: readonly Told[]): (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const row of rows) counts.set(reasonOf(row), (counts.get(reasonOf(row)) ?? 0) + 1);
  return [...counts].toSorted(([, a], [, b]) => b - a);
}

/** Chosen in place of a reason: all that have no chip of their own. */
export const OTHERS = Symbol('other reasons');
export type ChosenReason = string | typeof OTHERS | undefined;

/** What the address says in place of a reason: none is told so. */
const OTHERS_IN_ADDRESS = '(others)';
const NONE_IN_ADDRESS = '(none)';

export function reasonIn(address: string | undefined): ChosenReason {
  if (address === OTHERS_IN_ADDRESS) return OTHERS;
  return address === NONE_IN_ADDRESS ? '' : address;
}

export function inAddress(chosen: ChosenReason): string | undefined {
  if (chosen === OTHERS) return OTHERS_IN_ADDRESS;
  return chosen === '' ? NONE_IN_ADDRESS : chosen;
}

/** The rows of the chosen reason, or of those that have no chip of their own. */
export function rowsOf<T extends Told>(rows: readonly T[], chosen: ChosenReason): readonly T[] {
  if (chosen === undefined) return rows;
  if (chosen !== OTHERS) return rows.filter((row) => reasonOf(row) === chosen);
  const named = new Set(shownReasons(rows, OTHERS).map(([reason]) => reason));
  return rows.filter((row) => !named.has(reasonOf(row)));
}

/** The chosen one is always there, so that it can be left again, also where the rows have changed meanwhile. */
export function shownReasons(rows: readonly Told[], chosen: ChosenReason): (readonly [string, number])[] {
  const counts = countsByReason(rows);
  const common = counts.filter(([, count]) => count > 1).slice(0, CHIPS_MAX);
  // The last other one can have the chip that would stand for all others.
  const often = chosen !== OTHERS && counts.length === common.length + 1 ? counts : common;
  if (chosen === undefined || chosen === OTHERS || often.some(([reason]) => reason === chosen)) return often;
  return [...often, [chosen, counts.find(([reason]) => reason === chosen)?.[1] ?? 0]];
}
