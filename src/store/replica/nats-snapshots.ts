/** The object store of a cluster, which keeps its snapshots: `snapshot-<sequence number>`, so that their names are their order. */
import type { JetStreamClient } from '@nats-io/jetstream';
import type { ObjectStore } from '@nats-io/obj';

/** Of one piece of an object. */
const PIECE_MS = 30_000;
const DIGITS = 16;
const NAME = /^snapshot-(\d{16})$/;

export interface Snapshots {
  /** Places in the stream, oldest first. */
  list(): Promise<number[]>;
  put(sequence: number, source: AsyncIterable<Uint8Array>): Promise<void>;
  get(sequence: number): Promise<AsyncIterable<Uint8Array>>;
  remove(sequence: number): Promise<void>;
  /** Removes pieces that belong to no snapshot, and to none that is being sent: none of them has come for so long before the last piece of all. */
  removeParts(silentMs: number): Promise<void>;
}

export class NatsSnapshots implements Snapshots {
  readonly #stream: JetStreamClient;
  readonly #name: string;
  readonly #replicas: number;
  #store: ObjectStore | null = null;

  constructor(stream: JetStreamClient, name: string, replicas: number) {
    this.#stream = stream;
    this.#name = name;
    this.#replicas = replicas;
  }

  async list(): Promise<number[]> {
    const objects = await (await this.#open()).list();
    const sequences = objects.flatMap(({ name, deleted }) => {
      const found = deleted ? null : NAME.exec(name);
      return found ? [Number(found[1])] : [];
    });
    return sequences.sort((a, b) => a - b);
  }

  async put(sequence: number, source: AsyncIterable<Uint8Array>): Promise<void> {
    const store = await this.#open();
    const pieces = source[Symbol.asyncIterator]();
    const readable = new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        const next = await pieces.next();
        if (next.done) controller.close();
        else controller.enqueue(next.value);
      },
    });
    await store.put({ name: nameOf(sequence) }, readable, { timeout: PIECE_MS });
  }

  async get(sequence: number): Promise<AsyncIterable<Uint8Array>> {
    const found = await (await this.#open()).get(nameOf(sequence));
    if (!found) throw new Error(`the snapshot ${sequence} is gone`);
    return readAll(found.data, found.error);
  }

  async remove(sequence: number): Promise<void> {
    await (await this.#open()).delete(nameOf(sequence));
  }

  async removeParts(silentMs: number): Promise<void> {
    const objects = await (await this.#open()).list();
    const manager = await this.#stream.jetstreamManager(false);
    const name = `OBJ_${this.#name}`;
    const { state } = await manager.streams.info(name, { subjects_filter: piecesOf(this.#name, '>') });
    const known = new Set(objects.filter(({ deleted }) => !deleted).map(({ nuid }) => piecesOf(this.#name, nuid)));
    for (const subject of Object.keys(state.subjects ?? {}).filter((found) => !known.has(found))) {
      const last = await manager.streams.getMessage(name, { last_by_subj: subject });
      // Both times are the engine's: the last piece of all was sent just now.
      if (last && Date.parse(state.last_ts) - last.time.getTime() >= silentMs)
        await manager.streams.purge(name, { filter: subject });
    }
  }

  async #open(): Promise<ObjectStore> {
    if (this.#store) return this.#store;
    const { Objm } = await import('@nats-io/obj');
    this.#store = await new Objm(this.#stream).create(this.#name, { replicas: this.#replicas });
    return this.#store;
  }
}

async function* readAll(data: ReadableStream<Uint8Array>, error: Promise<Error | null>): AsyncIterable<Uint8Array> {
  const reader = data.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  const fault = await error;
  if (fault) throw fault;
}

/** The subject of the pieces of an object, as the object store names it. */
function piecesOf(store: string, object: string): string {
  return `$O.${store}.C.${object}`;
}

function nameOf(sequence: number): string {
  return `snapshot-${String(sequence).padStart(DIGITS, '0')}`;
}
