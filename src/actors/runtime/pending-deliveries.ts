/** Which deliveries are not acknowledged: the journal keeps those, and a lost state is given them again. */
import type { Cell } from './cell.ts';

export class PendingDeliveries<Env> {
  /** A few of very many cells. */
  readonly #cells = new Set<Cell<Env>>();

  arrived(cell: Cell<Env>, seq: number): void {
    if (cell.pendingFrom === 0) cell.pendingFrom = seq;
    this.#cells.add(cell);
    cell.lastArrived = Math.max(cell.lastArrived, seq);
  }

  /** What the cell was given up to this number is in the store. */
  acknowledge(cell: Cell<Env>, through: number): void {
    if (cell.pendingFrom === 0 || cell.pendingFrom > through) return;
    cell.pendingFrom = cell.lastArrived > through ? through + 1 : 0;
    if (cell.pendingFrom === 0) this.#cells.delete(cell);
  }

  /** Every delivery below the answer is acknowledged; one more than `latest` where nothing is outstanding. */
  acknowledgedBelow(latest: number): number {
    let floor = latest + 1;
    for (const { pendingFrom } of this.#cells) if (pendingFrom < floor) floor = pendingFrom;
    return floor;
  }
}
