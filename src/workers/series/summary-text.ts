/** A summary's text. There may be twenty thousand items, so none is an object or a string first. */

import type { Queues } from '../../protocol/identity/role.ts';
import {
  type Aggregation,
  type Definition,
  JOB_DEFINITIONS,
  SUMMARY_KEYS,
  type SummaryFormat,
  shortNameOf,
} from '../../protocol/metric.ts';
import { formatTimestampSeconds } from '../../protocol/timestamp.ts';
import { queueNameOf } from '../../store/series/series-layout.ts';
import type { Total } from '../../store/series/series-total.ts';
import type { SeriesFormat } from '../task/task.ts';
import { jobMetricOf, type Queue, type QueueTotals } from './queue-totals.ts';
import { bytesOf, NUMBER_SIZE_MAX, TextBytes } from './text-bytes.ts';

interface Family {
  readonly key: string;
  readonly metric: number;
  readonly aggregation: Aggregation;
}

/** The keys of the answer, in order. */
const FAMILIES: readonly Family[] = SUMMARY_KEYS.map((key) => {
  const short = shortNameOf(key);
  const { aggregation } = JOB_DEFINITIONS.find(({ id }) => shortNameOf(id) === short) as Definition;
  return { key, metric: jobMetricOf(short), aggregation };
});

/** A queue with what is the same in all its items. */
interface Row {
  readonly totals: readonly (Total | undefined)[];
  /** From the queue's name to the time, and from the value to the end. */
  readonly between: Uint8Array;
  readonly after: Uint8Array;
}

/** Used again and again: an answer is made in one go. */
const text = new TextBytes();
const COMMA = 0x2c;
const TIME_SIZE = 20;

/** `keys` are some of `SUMMARY_KEYS`; null means all. */
export function summaryText(
  totals: QueueTotals,
  format: SummaryFormat,
  keys: readonly string[] | null,
  seen: Queues,
): Uint8Array {
  const families = keys ? FAMILIES.filter(({ key }) => keys.includes(key)) : FAMILIES;
  const queues = totals.queues.filter(({ objectId }) => !seen || seen.includes(queueNameOf(objectId)));
  if (format === 'columns') return columnsText(queues, families);
  const rows = queues.map(({ objectId, totals: each }) => ({ totals: each, ...around(objectId, format) }));
  const times = new Times();
  text.clear();
  if (format === 'csv') text.text('metric,queueName,time,value\n');
  if (format === 'json') text.text('{"items":{');
  families.forEach((family, i) => {
    if (format === 'json') text.text(`${i > 0 ? ',' : ''}${JSON.stringify(family.key)}:[`);
    items(family, rows, format, times);
    if (format === 'json') text.text(']');
  });
  if (format === 'json') text.text('}}');
  return text.take();
}

function items({ key, metric, aggregation }: Family, rows: readonly Row[], format: SeriesFormat, times: Times): void {
  const before = bytesOf(beforeOf(key, format));
  const middle = bytesOf(format === 'csv' ? ',' : '","value":');
  let isFirst = true;
  for (const { totals, between, after } of rows) {
    const total = totals[metric];
    if (!total) continue;
    text.reserve(1 + before.length + between.length + TIME_SIZE + middle.length + NUMBER_SIZE_MAX + after.length);
    if (!isFirst && format === 'json') text.byte(COMMA);
    isFirst = false;
    text.part(before);
    text.part(between);
    text.part(times.of(total.newestMs));
    text.part(middle);
    text.number(numberOf(total, aggregation));
    text.part(after);
  }
}

function numberOf({ sum, count }: Total, aggregation: Aggregation): number {
  return aggregation === 'avg' ? sum.rounded / count : sum.rounded;
}

const NULL = bytesOf('null');
const QUOTE = 0x22;

/** A quarter of the bytes: names stand once, and times and values side by side. Queues without any of the keys are left out. */
function columnsText(all: readonly Queue[], families: readonly Family[]): Uint8Array {
  const queues = all.filter(({ totals }) => families.some(({ metric }) => totals[metric]));
  const times = new Times();
  text.clear();
  text.text(`{"queueNames":${JSON.stringify(queues.map(({ objectId }) => queueNameOf(objectId)))},"items":{`);
  families.forEach(({ key, metric, aggregation }, i) => {
    text.text(`${i > 0 ? ',' : ''}${JSON.stringify(key)}:{"times":[`);
    column(queues, metric, ({ newestMs }) => {
      text.byte(QUOTE);
      text.part(times.of(newestMs));
      text.byte(QUOTE);
    });
    text.text('],"values":[');
    column(queues, metric, (total) => text.number(numberOf(total, aggregation)));
    text.text(']}');
  });
  text.text('}}');
  return text.take();
}

function column(queues: readonly Queue[], metric: number, write: (total: Total) => void): void {
  queues.forEach(({ totals }, i) => {
    text.reserve(1 + NUMBER_SIZE_MAX);
    if (i > 0) text.byte(COMMA);
    const total = totals[metric];
    if (total) write(total);
    else text.part(NULL);
  });
}

/** Up to the queue's name. */
function beforeOf(key: string, format: SeriesFormat): string {
  if (format === 'csv') return `${key},`;
  return format === 'ndjson' ? `{"metric":"${key}","queueName":` : `{"id":"${key}.queue-`;
}

function around(objectId: string, format: SeriesFormat): Pick<Row, 'between' | 'after'> {
  const name = queueNameOf(objectId);
  const json = JSON.stringify(name);
  if (format === 'csv') return { between: bytesOf(`${name},`), after: bytesOf('\n') };
  if (format === 'ndjson') return { between: bytesOf(`${json},"time":"`), after: bytesOf('}\n') };
  return {
    // The object is the name behind `queue-`, and so is its JSON.
    between: bytesOf(`${json.slice(1)},"point":{"time":"`),
    after: bytesOf(`},"metaData":{"queueName":${json}}}`),
  };
}

/** Few times stand in many items. */
class Times {
  readonly #bytes = new Map<number, Uint8Array>();

  of(ms: number): Uint8Array {
    let bytes = this.#bytes.get(ms);
    if (!bytes) {
      bytes = bytesOf(formatTimestampSeconds(ms));
      this.#bytes.set(ms, bytes);
    }
    return bytes;
  }
}
