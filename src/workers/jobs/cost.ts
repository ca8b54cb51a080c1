/**
 * What a search has cost so far, in units of about half a microsecond. Counted and not timed, so that the same question
 * over the same store gives the same page. Measured on lmdb 3.5.6, Node 20, in microseconds: 0.5 an entry of a range (1 with
 * a text that is searched), 4 to begin a range, 2.5 to read a small value, 6 to read a record and parse its head.
 */
export const COST = { entry: 1, text: 2, range: 8, read: 5, record: 12 } as const;

export class Cost {
  spent = 0;
  /** So many times as many jobs as usual are sorted on the spot: 1 until a slice of the search has found nothing. */
  effort = 1;
  /** The effort at which the filters still leave too many jobs, 0 if none: a search that goes on need not find out again. */
  manyAt = 0;
  /** That too many jobs have the text. */
  isFrequent = false;

  /** For the next slice of the same search. */
  next(effort = this.effort): Cost {
    const next = new Cost();
    next.effort = effort;
    next.manyAt = this.manyAt;
    next.isFrequent = this.isFrequent;
    return next;
  }
}
