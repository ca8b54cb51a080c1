/**
 * What a search has cost so far, in units of about half a microsecond. Counted and not timed, so that the same question
 * over the same store gives the same page. Measured on lmdb 3.5.6, Node 20, in microseconds: 0.5 an entry of a range (1 with
 * a text that is searched), 4 to begin a range, 2.5 to read a small value, 6 to read a record and parse its head.
 */
export const COST = { entry: 1, text: 2, range: 8, read: 5, record: 12 } as const;

export class Cost {
  spent = 0;
  /** That the filters leave more jobs than are sorted on the spot: a search that goes on need not find out again. */
  isMany: boolean;

  constructor(isMany = false) {
    this.isMany = isMany;
  }
}
