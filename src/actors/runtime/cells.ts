/** The living actors of a thread, by kind and id, for the system and for readers on the same thread. */
import type { Clock } from '../../base/clock.ts';
import type { AnyAddress } from './address.ts';
import type { AnyBehaviour } from './behaviour.ts';
import { Cell } from './cell.ts';

export class Cells<Env> {
  readonly #byKind = new Map<string, Map<string, Cell<Env>>>();
  readonly #behaviours: ReadonlyMap<string, AnyBehaviour<Env>>;

  constructor(behaviours: readonly AnyBehaviour<Env>[]) {
    this.#behaviours = new Map(behaviours.map((behaviour) => [behaviour.kind, behaviour]));
    for (const kind of this.#behaviours.keys()) this.#byKind.set(kind, new Map());
  }

  find(kind: string, id: string): Cell<Env> | undefined {
    return this.#byKind.get(kind)?.get(id);
  }

  /** The actor's cell, made now if there is none; undefined for an unknown kind. */
  open(to: AnyAddress, clock: Clock): Cell<Env> | undefined {
    const cells = this.#byKind.get(to.kind);
    if (!cells) return undefined;
    const known = cells.get(to.id);
    if (known) return known;
    const id = ownText(to.id);
    const cell = new Cell<Env>(this.#behaviours.get(to.kind) as AnyBehaviour<Env>, id, clock.monotonicMs());
    cells.set(id, cell);
    return cell;
  }

  delete(cell: Cell<Env>): void {
    const cells = this.#byKind.get(cell.behaviour.kind);
    if (cells?.get(cell.id) === cell) cells.delete(cell.id);
  }

  *all(): Iterable<Cell<Env>> {
    for (const cells of this.#byKind.values()) yield* cells.values();
  }

  *live<S>(kind: string): Iterable<readonly [string, S]> {
    for (const [id, cell] of this.#byKind.get(kind) ?? []) if (cell.live) yield [id, cell.state as S];
  }

  liveOne<S>(kind: string, id: string): S | undefined {
    const cell = this.find(kind, id);
    return cell?.live ? (cell.state as S) : undefined;
  }

  /** Messages that wait in mailboxes. */
  get queued(): number {
    let queued = 0;
    for (const cell of this.all()) queued += cell.mailbox?.size ?? 0;
    return queued;
  }

  countOf(kind: string): number {
    return this.#byKind.get(kind)?.size ?? 0;
  }
}

/** The text in memory of its own: what was cut from a text (an id from a path) keeps all of that, for as long as the actor lives. */
function ownText(text: string): string {
  return JSON.parse(JSON.stringify(text)) as string;
}
