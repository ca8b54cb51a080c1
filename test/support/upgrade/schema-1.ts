/** Rows as servers of schema 1 wrote them, for tests of what becomes of them. */
import { crc32 } from 'node:zlib';
import { pack } from 'msgpackr';
import { LEVELS, type Level } from '../../../src/protocol/rollup-retention.ts';
import { keyOf, textKey } from '../../../src/store/kv/keys.ts';
import { MemoryStore } from '../../../src/store/kv/memory-store.ts';
import { WriteBatch } from '../../../src/store/kv/write-batch.ts';
import { encodeNodeRecord } from '../../../src/store/records/node-record.ts';
import type { Bucket } from '../../../src/store/series/bucket.ts';

const HOUR_MS = 3_600_000;
const WINDOW_MS: Readonly<Record<Level['name'], number>> = {
  '1m': 2 * HOUR_MS,
  '30m': 48 * HOUR_MS,
  '24h': 64 * 24 * HOUR_MS,
};

export type OldSample = readonly [metric: string, timeMs: number, subNs: number, value: number];

export class Schema1Folder {
  readonly store = new MemoryStore();
  readonly #batch = new WriteBatch();

  /** A chunk for each window that the buckets lie in. */
  chunks(level: Level, objectId: string, metric: string, lastSeq: number, buckets: readonly Bucket[]): this {
    const windowOf = ({ startMs }: Bucket): number =>
      Math.floor(startMs / WINDOW_MS[level.name]) * WINDOW_MS[level.name];
    for (const windowMs of new Set(buckets.map(windowOf))) {
      const place = { byte: LEVELS.findIndex(({ name }) => name === level.name) };
      const key = keyOf(place, { text: objectId }, { text: metric }, { ms: windowMs });
      const inside = buckets.filter((bucket) => windowOf(bucket) === windowMs);
      this.#batch.put('chunk', key, chunkOf(level, windowMs, lastSeq, inside));
    }
    return this;
  }

  damagedChunk(objectId: string, windowMs: number): this {
    const key = keyOf({ byte: 0 }, { text: objectId }, { text: 'x' }, { ms: windowMs });
    this.#batch.put('chunk', key, Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16));
    return this;
  }

  journal(seq: number, objectId: string, samples: readonly OldSample[]): this {
    const group = pack([['aggregator', objectId, [{ type: 'samples', samples }]]]);
    this.#batch.put('journal', keyOf({ number: seq }), pack([Uint8Array.from(group)]));
    return this;
  }

  job(id: string, record: Uint8Array, createdAtNs: bigint, status: string): this {
    this.#batch.put('job', textKey(id), record);
    this.#batch.put('jobByCreated', keyOf({ ns: createdAtNs }, { text: id }), textKey(status));
    return this;
  }

  node(id: string, endedAtMs: number | null, beatMs: number): this {
    const state = endedAtMs === null ? 'alive' : 'lost';
    const record = { factsJson: `{"id":"${id}"}`, state, registeredAtMs: 1, endedAtMs, lastBeatWallMs: 1 } as const;
    this.#batch.put('node', textKey(id), encodeNodeRecord(record));
    const beat = Buffer.alloc(8);
    beat.writeDoubleBE(beatMs);
    this.#batch.put('beat', textKey(id), beat);
    return this;
  }

  done(): MemoryStore {
    this.#batch.put('meta', textKey('schema'), textKey('1'));
    this.store.commit([this.#batch.seal()]);
    return this.store;
  }
}

function chunkOf(level: Level, windowMs: number, lastSeq: number, buckets: readonly Bucket[]): Uint8Array {
  const head = Buffer.alloc(15);
  head.writeUInt8(1, 0);
  head.writeDoubleBE(lastSeq, 5);
  head.writeUInt16BE(buckets.length, 13);
  const rows = buckets.map(({ startMs, count, min, max, last, lastMs, lastNs, sum }) => {
    const row = Buffer.alloc(43 + 8 * sum.length);
    row.writeUInt16BE((startMs - windowMs) / level.intervalMs, 0);
    row.writeUInt32BE(count, 2);
    for (const [i, value] of [min, max, last, lastMs].entries()) row.writeDoubleBE(value, 6 + 8 * i);
    row.writeUInt32BE(lastNs, 38);
    row.writeUInt8(sum.length, 42);
    for (const [i, part] of sum.entries()) row.writeDoubleBE(part, 43 + 8 * i);
    return row;
  });
  const bytes = Buffer.concat([head, ...rows]);
  bytes.writeUInt32BE(crc32(bytes.subarray(5)), 1);
  return bytes;
}
