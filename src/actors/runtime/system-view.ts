/** What readers on the same thread see of the actors: they look, and change nothing. */
import type { Cells } from './cells.ts';

export class SystemView<Env> {
  protected readonly cells: Cells<Env>;

  constructor(cells: Cells<Env>) {
    this.cells = cells;
  }

  /** Live states of a kind, for readers on this thread; do not keep or change them. */
  inspect<S>(kind: string): Iterable<readonly [string, S]> {
    return this.cells.live<S>(kind);
  }

  inspectOne<S>(kind: string, id: string): S | undefined {
    return this.cells.liveOne<S>(kind, id);
  }

  has(kind: string, id: string): boolean {
    return this.cells.find(kind, id) !== undefined;
  }

  countOf(kind: string): number {
    return this.cells.countOf(kind);
  }

  /** Messages that were taken and not handled yet. */
  get queued(): number {
    return this.cells.queued;
  }
}
