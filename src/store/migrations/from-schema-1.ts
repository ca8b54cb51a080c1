/**
 * From schema 1, that of the first servers, to schema 2. What takes much room is written beside the old rows, into tables that
 * schema 1 does not have; the transaction with the new number replaces the rows that both have.
 *
 *   chunks of 1m, samples in the journal  → block
 *   chunks of 30m and 24h                 → chunk, of the days of which 1m is gone
 *   job                                   → jobIndex, and in jobByCreated the text that a search looks at
 *   beat, a row a node                    → beat, a log of rows
 *   node                                  → nodeEnded
 *
 * The tables jobEnded and pendingRollup stay as they are; nothing reads them.
 */
import { LEVELS, type Level } from '../../protocol/rollup-retention.ts';
import { afterKey, KeyReader, keyOf, textKey } from '../kv/keys.ts';
import type { Reader } from '../kv/store.ts';
import { WriteBatch } from '../kv/write-batch.ts';
import { type BeatRow, beatLogKey, encodeBeats } from '../records/heartbeat-log.ts';
import { jobIndexWrites } from '../records/job-index.ts';
import { indexedJobOf } from '../records/job-row-check.ts';
import { decodeNodeRecord, endedKey } from '../records/node-record.ts';
import { coarsen } from '../series/bucket.ts';
import { rollupStateWrite } from '../series/rollup-state.ts';
import { blockKey, chunkKey, DAY_MS, dayOf, readBlockKey } from '../series/series-layout.ts';
import { removeAll } from './index-rows.ts';
import { batchesOfJobs, JOBS_AT_ONCE, readably } from './job-walk.ts';
import { decodeOldChunk, type OldChunk, type OldSample, oldSamples } from './schema-1-series.ts';
import { SliceContents } from './slice-contents.ts';

const [FINE, ...COARSE] = LEVELS;
/** Chunks of one transaction, and rows of one value of heartbeats. */
const AT_ONCE = 4_096;
const SEQ_KEY = textKey('journalSeq');

export function* rowsBesideSchema1(reader: Reader): Generator<WriteBatch> {
  // Those of an attempt that was cut short; the server of before may have changed what they were made of.
  yield* removeAll(reader, 'block', null, AT_ONCE);
  yield* removeAll(reader, 'jobIndex', null, AT_ONCE);
  yield* blocks(reader);
  yield* batchesOfJobs(reader, JOBS_AT_ONCE, (batch, record) => {
    for (const { table, key, value } of jobIndexWrites(null, indexedJobOf(record)))
      if (table === 'jobIndex' && value) batch.put(table, key, value);
  });
}

/** A block a window and slice of each batch. They are numbered as journal entries are: those with higher numbers came later. */
function* blocks(reader: Reader): Generator<WriteBatch> {
  let number = 1;
  for (const chunks of chunksOf(reader, FINE)) {
    const contents = new SliceContents(FINE);
    for (const { objectId, metric, buckets } of chunks) contents.add(objectId, metric, buckets);
    yield blocksOf(contents, number++);
  }
  const contents = new SliceContents(FINE);
  for (const { objectId, metric, bucket } of samplesInNoChunk(reader)) contents.add(objectId, metric, [bucket]);
  if (contents.size > 0) yield blocksOf(contents, number);
}

function blocksOf(contents: SliceContents, number: number): WriteBatch {
  const batch = new WriteBatch();
  for (const { windowMs, slice, value } of contents.values())
    batch.put('block', blockKey(windowMs, slice, number), value);
  return batch;
}

export function endSchema1(reader: Reader, batch: WriteBatch): void {
  replaceChunks(reader, batch);
  endJournal(reader, batch);
  for (const { value } of reader.range('job')) {
    readably(() => {
      for (const { table, key, value: text } of jobIndexWrites(null, indexedJobOf(value)))
        if (table === 'jobByCreated' && text) batch.put(table, key, text);
    });
  }
  replaceBeats(reader, batch);
  for (const { key, value } of reader.range('node')) {
    readably(() => {
      const { endedAtMs } = decodeNodeRecord(value);
      if (endedAtMs !== null)
        batch.put('nodeEnded', endedKey(endedAtMs, Buffer.from(key).toString('utf8')), new Uint8Array(0));
    });
  }
}

/** The days of which all 1m is there are rolled up from it, as those of a new server; the others keep the coarse buckets they have. */
function replaceChunks(reader: Reader, batch: WriteBatch): void {
  const rolledBeforeMs = rolledBefore(reader);
  for (const { key } of reader.range('chunk')) batch.remove('chunk', key);
  if (rolledBeforeMs === 0) return;
  const late = [...samplesInNoChunk(reader)].filter(({ bucket }) => bucket.startMs < rolledBeforeMs);
  for (const level of COARSE) {
    const contents = new SliceContents(level);
    for (const chunks of chunksOf(reader, level)) {
      for (const { objectId, metric, buckets } of chunks)
        contents.add(
          objectId,
          metric,
          buckets.filter(({ startMs }) => startMs < rolledBeforeMs),
        );
    }
    for (const { objectId, metric, bucket } of late)
      contents.add(objectId, metric, coarsen([bucket], level.intervalMs));
    for (const { windowMs, slice, value } of contents.values())
      batch.put('chunk', chunkKey(level, windowMs, slice), value);
  }
  const state = { closedBeforeMs: rolledBeforeMs, rolledBeforeMs, nextSlice: 0, generation: 1 };
  const { table, key, value } = rollupStateWrite(state);
  batch.put(table, key, value);
}

/** A day may have lost a part of its 1m only if an earlier one has lost all of it. 0: none has lost any. */
function rolledBefore(reader: Reader): number {
  const fine = boundsOf(reader, FINE);
  const coarse = COARSE.map((level) => boundsOf(reader, level));
  const oldest = Math.min(...coarse.map(({ oldestMs }) => oldestMs));
  if (oldest >= dayOf(fine.oldestMs)) return 0;
  const newest = Math.max(...coarse.map(({ newestMs }) => newestMs));
  return dayOf(Math.min(fine.oldestMs, newest)) + DAY_MS;
}

function boundsOf(reader: Reader, level: Level): { readonly oldestMs: number; readonly newestMs: number } {
  let [oldestMs, newestMs] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const chunks of chunksOf(reader, level)) {
    for (const { buckets } of chunks) {
      oldestMs = Math.min(oldestMs, buckets[0]?.startMs ?? oldestMs);
      newestMs = Math.max(newestMs, buckets.at(-1)?.startMs ?? newestMs);
    }
  }
  return { oldestMs, newestMs };
}

/** New entries get numbers above those of all blocks. */
function endJournal(reader: Reader, batch: WriteBatch): void {
  const stored = reader.get('meta', SEQ_KEY);
  let last = stored ? Number(Buffer.from(stored).toString()) : 0;
  for (const { key } of reader.range('block')) last = Math.max(last, readBlockKey(key).seq);
  for (const { key } of reader.range('journal')) {
    last = Math.max(last, new KeyReader(key).number());
    batch.remove('journal', key);
  }
  batch.put('meta', SEQ_KEY, textKey(String(last)));
}

/** Samples that were acknowledged and not yet written into a chunk when the server ended. */
function* samplesInNoChunk(reader: Reader): Generator<OldSample> {
  for (const sample of oldSamples(reader)) {
    const { seq, objectId, metric, bucket } = sample;
    const windowMs = Math.floor(bucket.startMs / FINE_WINDOW_MS) * FINE_WINDOW_MS;
    const key = keyOf({ byte: 0 }, { text: objectId }, { text: metric }, { ms: windowMs });
    const chunk = reader.get('chunk', key);
    if (!chunk || decodeOldChunk(key, chunk).lastSeq < seq) yield sample;
  }
}

const FINE_WINDOW_MS = 7_200_000;

/** A chunk that is damaged is left out: it must not keep the others from being taken over. */
function* chunksOf(reader: Reader, level: Level): Generator<OldChunk[]> {
  const end = keyOf({ byte: LEVELS.indexOf(level as (typeof LEVELS)[number]) + 1 });
  let start = keyOf({ byte: LEVELS.indexOf(level as (typeof LEVELS)[number]) });
  for (;;) {
    const chunks: OldChunk[] = [];
    let count = 0;
    for (const { key, value } of reader.range('chunk', { start, end, limit: AT_ONCE })) {
      readably(() => void chunks.push(decodeOldChunk(key, value)));
      start = afterKey(key);
      count++;
    }
    if (chunks.length > 0) yield chunks;
    if (count < AT_ONCE) return;
  }
}

function replaceBeats(reader: Reader, batch: WriteBatch): void {
  const rows: BeatRow[] = [];
  for (const { key, value } of reader.range('beat')) {
    batch.remove('beat', key);
    if (value.byteLength === 8)
      rows.push({ id: Buffer.from(key).toString('utf8'), wallMs: Buffer.from(value).readDoubleBE(0) });
  }
  for (let i = 0; i < rows.length; i += AT_ONCE)
    batch.put('beat', beatLogKey(0, i / AT_ONCE + 1), encodeBeats(rows.slice(i, i + AT_ONCE)));
}
