/** Which deliveries are not settled: the journal keeps those, and a lost state is given them again. */
import type { Cell } from './cell.ts';

export class Unsettled<Env> {
  /** A few of very many cells. */
  readonly #cells = new Set<Cell<Env>>();

  arrived(cell: Cell<Env>, seq: number): void {
    if (cell.unsettledFrom === 0) cell.unsettledFrom = seq;
    this.#cells.add(cell);
    cell.lastArrived = Math.max(cell.lastArrived, seq);
  }

  /** What the cell was given up to this number is in the store. */
  settle(cell: Cell<Env>, through: number): void {
    if (cell.unsettledFrom === 0 || cell.unsettledFrom > through) return;
    cell.unsettledFrom = cell.lastArrived > through ? through + 1 : 0;
    if (cell.unsettledFrom === 0) this.#cells.delete(cell);
  }

  /** Every delivery below the answer is settled; one more than `latest` where nothing is outstanding. */
  settledBelow(latest: number): number {
    let floor = latest + 1;
    for (const { unsettledFrom } of this.#cells) if (unsettledFrom < floor) floor = unsettledFrom;
    return floor;
  }
}
