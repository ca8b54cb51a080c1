/**
 * The metric definition entries: the system total with every job metric, then every series that has a bucket, or had one
 * lately. As a stream: a head that names the next page, then the rows.
 *
 * A position is the part (total, series, leaving) and the key in it, so that a walk goes on wherever it was left.
 */
import {
  type Definition,
  definitionIdOf,
  entryNameOf,
  JOB_DEFINITIONS,
  metricEntryOf,
  metricObjectOf,
  SYSTEM_TOTAL,
} from '../../protocol/metric.ts';
import { afterKey, afterPrefix, compareKeys, KeyReader, keyOf } from '../../store/kv/keys.ts';
import type { Reader } from '../../store/kv/store.ts';
import { expiryKey, hasSeries, readExpiryKey, seriesKey } from '../../store/series/series-index.ts';
import { sliceOf, sliceParts } from '../../store/series/series-layout.ts';
import { RowWriter } from '../rows/row-writer.ts';
import type { MetricFilter, MetricListTask } from '../task/task.ts';
import { seesObject } from './seen-objects.ts';

/** The first chunk of the stream, as JSON. */
export interface MetricListHead {
  /** Position of the next page in base64url; null where there is none. */
  readonly next: string | null;
}

/** Rows read at once; then the thread may do something else, and a slow reader of the list holds no snapshot. */
const STEP = 1_000;
/** Rows looked at for one page, some 40 ms: a page of a filter that fits little ends there, and the next one goes on. */
const LOOKED_MAX = 20_000;

interface Place {
  readonly position: Uint8Array;
  /** Undefined where the list does not want what is there. */
  readonly entry?: { readonly definition: Definition; readonly objectId: string };
}

const NOTHING = new Uint8Array(0);

export async function* metricList(reader: Reader, task: MetricListTask): AsyncGenerator<Uint8Array> {
  const writer = new RowWriter({ format: 'json', fields: null }, []);
  const jsonOf = entryJson();
  const add = (entry: NonNullable<Place['entry']>): Uint8Array | undefined => writer.add(jsonOf(entry));
  if (task.limit === null) {
    yield headOf(null);
    for await (const places of walk(reader, task)) {
      for (const { entry } of places) {
        const chunk = entry && add(entry);
        if (chunk) yield chunk;
      }
      yield NOTHING;
    }
  } else {
    const page = await onePage(reader, task, task.limit);
    yield headOf(page.next);
    for (const entry of page.entries) {
      const chunk = add(entry);
      if (chunk) yield chunk;
    }
  }
  yield writer.end();
}

async function onePage(
  reader: Reader,
  task: MetricListTask,
  limit: number,
): Promise<{ readonly entries: readonly NonNullable<Place['entry']>[]; readonly next: Uint8Array | null }> {
  const entries: NonNullable<Place['entry']>[] = [];
  let last: Uint8Array | null = null;
  let looked = 0;
  for await (const places of walk(reader, task)) {
    for (const { position, entry } of places) {
      // Only another entry says that there is a next page.
      if (entry && entries.length === limit) return { entries, next: last };
      if (entry) entries.push(entry);
      // Nothing of what is hidden may stand in a cursor.
      if (entry || !task.queues) last = position;
    }
    looked += places.length;
    if (looked >= LOOKED_MAX && !task.queues) return { entries, next: last };
  }
  return { entries, next: null };
}

/** Every place behind the task's position, in order; so many at once that the thread may do something else in between. */
async function* walk(
  reader: Reader,
  { definitions, filter, queues, after }: MetricListTask,
): AsyncGenerator<readonly Place[]> {
  const byId = new Map(definitions.map((definition) => [definition.id, definition]));
  const always = new Set(JOB_DEFINITIONS.map(({ id }) => id));
  const totals = JOB_DEFINITIONS.map((definition, i): Place => {
    const position = Uint8Array.of(TOTAL, i);
    if (queues || !matches(filter, definition, SYSTEM_TOTAL)) return { position };
    return { position, entry: { definition, objectId: SYSTEM_TOTAL } };
  });
  yield totals.filter(({ position }) => !after || compareKeys(position, after) > 0);
  const placeOf = (part: StoredPart, key: Uint8Array): Place => {
    const position = positionOf(part, key);
    const { objectId, metric } = part === SERIES ? readSeriesKey(key) : readExpiryKey(key);
    const definition = byId.get(definitionIdOf(metric));
    const isWanted =
      definition &&
      !(objectId === SYSTEM_TOTAL && always.has(definition.id)) &&
      matches(filter, definition, objectId) &&
      seesObject(reader, objectId, queues) &&
      // One that has come back is among the others.
      !(part === LEAVING && hasSeries(reader, objectId, metric));
    return isWanted ? { position, entry: { definition, objectId } } : { position };
  };
  for (const part of [SERIES, LEAVING] as const)
    for await (const keys of keysOf(reader, part, filter, after)) yield keys.map((key) => placeOf(part, key));
}

const TOTAL = 0;
const SERIES = 1;
const LEAVING = 2;
type StoredPart = typeof SERIES | typeof LEAVING;
const TABLE_OF = { [SERIES]: 'series', [LEAVING]: 'leaving' } as const;

async function* keysOf(
  reader: Reader,
  part: StoredPart,
  filter: MetricFilter,
  after: Uint8Array | null,
): AsyncGenerator<readonly Uint8Array[]> {
  let { start, end } = boundsOf(part, filter);
  if (after && (after[0] as number) > part) return;
  if (after?.[0] === part) {
    const behind = afterKey(after.subarray(1));
    if (!start || compareKeys(behind, start) > 0) start = behind;
  }
  for (;;) {
    reader.refresh();
    const step = [
      ...reader.range(TABLE_OF[part], { ...(start ? { start } : {}), ...(end ? { end } : {}), limit: STEP }),
    ];
    yield step.map(({ key }) => key);
    const last = step.at(-1);
    if (!last || step.length < STEP) return;
    start = afterKey(last.key);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** An object's rows lie together; with the metric it is one row. */
function boundsOf(
  part: StoredPart,
  { objectId, metric }: MetricFilter,
): { start?: Uint8Array | undefined; end?: Uint8Array | undefined } {
  if (objectId === undefined) return {};
  if (metric !== undefined) {
    const key = part === SERIES ? seriesKey(objectId, metric) : expiryKey(objectId, metric);
    return { start: key, end: afterKey(key) };
  }
  const start = keyOf(...(part === SERIES ? [] : sliceParts(sliceOf(objectId))), { text: objectId });
  return { start, end: afterPrefix(start) };
}

function positionOf(part: StoredPart, key: Uint8Array): Uint8Array {
  const position = new Uint8Array(1 + key.length);
  position[0] = part;
  position.set(key, 1);
  return position;
}

function readSeriesKey(key: Uint8Array): { readonly objectId: string; readonly metric: string } {
  const parts = new KeyReader(key);
  return { objectId: parts.text(), metric: parts.text() };
}

function matches({ objectId, metric, words }: MetricFilter, definition: Definition, object: string): boolean {
  if (objectId !== undefined && objectId !== object) return false;
  if (metric !== undefined && definitionIdOf(metric) !== definition.id) return false;
  if (words.length === 0) return true;
  const name = entryNameOf(definition, metricObjectOf(object));
  const text = `${name} ${definition.id}.${object} ${definition.description}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

/** Entries as JSON. What all series of a definition have in common is written once: it is most of an entry. */
function entryJson(): (entry: NonNullable<Place['entry']>) => string {
  const parts = new Map<Definition, readonly [definition: string, levels: string]>();
  return ({ definition, objectId }) => {
    let common = parts.get(definition);
    if (!common) {
      const entry = metricEntryOf(definition, objectId);
      common = [JSON.stringify(entry.definition), JSON.stringify(entry.levels)];
      parts.set(definition, common);
    }
    const object = metricObjectOf(objectId);
    const name = JSON.stringify(entryNameOf(definition, object));
    const id = JSON.stringify(`${definition.id}.${objectId}`);
    return `{"name":${name},"id":${id},"definition":${common[0]},"object":${JSON.stringify(object)},"levels":${common[1]}}`;
  };
}

function headOf(next: Uint8Array | null): Uint8Array {
  const head: MetricListHead = { next: next && Buffer.from(next).toString('base64url') };
  return Uint8Array.from(Buffer.from(JSON.stringify(head)));
}
