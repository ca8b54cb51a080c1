/**
 * Law: every text that intake lets pass comes back as it went in, from wherever it gets to: the database and its keys, the
 * event stream, CSV, lines of JSON, the log, a header, the text of the server's own metrics.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { publicEventOf } from '../../src/actors/events/event-mapping.ts';
import { jobAddress } from '../../src/actors/job/messages.ts';
import type { Signal } from '../../src/actors/runtime/behaviour.ts';
import { createLogger } from '../../src/base/log.ts';
import { MetricRegistry, renderPrometheus } from '../../src/base/metrics.ts';
import { nextLink } from '../../src/gateway/lists/next-link.ts';
import { eventFrame, type PublicEvent } from '../../src/protocol/event.ts';
import { factsOf, type NodeFacts } from '../../src/protocol/node.ts';
import { decodeEvent, packEvents, recordsOf } from '../../src/store/commit/event-log.ts';
import { KeyReader, keyOf } from '../../src/store/kv/keys.ts';
import { AUDIT_ORIGIN, auditRecord, encodeAudit } from '../../src/store/records/audit-record.ts';
import { decodeNodeRecord, encodeNodeRecord } from '../../src/store/records/node-record.ts';
import { RowWriter } from '../../src/workers/rows/row-writer.ts';
import { SseParser } from '../../web/src/api/sse.ts';
import { cleanTextsOf, uncleanTexts } from '../support/code-points.ts';
import { readCsv } from '../support/csv-reader.ts';
import { newExchange } from '../support/fake-exchange.ts';
import { JobWorld } from '../support/job-world.ts';

const TIME = '2026-11-01T10:00:00Z';
const NOW_MS = Date.parse(TIME);

function written(format: 'csv' | 'json' | 'ndjson', text: string): string {
  const writer = new RowWriter({ format, fields: null }, ['id', 'name', 'last']);
  const chunks = [{ id: 'a', name: text, last: 1 }, { id: 'b' }].map((row) => writer.add(JSON.stringify(row)));
  return Buffer.concat([...chunks, writer.end()].filter((chunk) => chunk !== undefined)).toString();
}

function isWellFormed(text: string): boolean {
  return !/\p{Cs}/u.test(text);
}

const world = new JobWorld();
let jobs = 0;

function storedName(text: string): string | undefined {
  const id = `j-${++jobs}`;
  const event = { timestamp: TIME, eventType: `Volume-${text}`, nodeOid: text, containerId: text };
  const creating = { ...event, eventType: 'Job-Creating' };
  const update = { id, queueName: 'q', name: text, batchJobIds: [text], events: [creating, event] };
  const answer = world.actors.ask(jobAddress(id), { type: 'update', update });
  world.actors.settle();
  assert.equal(answer.failure, null);
  const job = world.job(id);
  const types = job?.events.map(({ eventType }) => eventType);
  assert.deepEqual([job?.nodeOid, job?.containerId, types], [text, text, ['Job-Creating', `Volume-${text}`]]);
  return job?.name;
}

/** Each gives the text as it comes back. */
const SINKS: Readonly<Record<string, (text: string) => unknown>> = {
  'a job in the database': storedName,
  'a node in the database': (text) => {
    const facts = factsOf('n', { hostName: text, ips: [text], instance: { zone: text } });
    const times = { registeredAtMs: 1, endedAtMs: null, lastBeatWallMs: 1 };
    const record = encodeNodeRecord({ factsJson: JSON.stringify(facts), state: 'alive', ...times });
    const { hostName, ips, instance } = JSON.parse(decodeNodeRecord(record).factsJson) as NodeFacts;
    assert.deepEqual([ips, instance.zone], [[text], text]);
    return hostName;
  },
  'a key': (text) => {
    const reader = new KeyReader(keyOf({ text }, { text: 'b' }));
    const found = reader.text();
    assert.equal(reader.text(), 'b');
    return found;
  },
  'the audit log': (text) => {
    const entry = { who: text, from: 'a', action: 'b', target: text, detail: { text } };
    return JSON.parse(Buffer.from(encodeAudit(auditRecord(entry, AUDIT_ORIGIN, TIME))).toString()).who;
  },
  'the event stream': (text) => {
    const event = { timestamp: TIME, eventType: text, nodeOid: text };
    const signal = { type: 'job.event', job: 'j', queue: 'q', nodeOid: text, event };
    const sent = publicEventOf(signal, NOW_MS) as PublicEvent;
    const other = publicEventOf({ type: 'node.lost', node: 'n' } as Signal, NOW_MS) as PublicEvent;
    const records = recordsOf(packEvents([sent, other]) as Uint8Array).map(decodeEvent) as PublicEvent[];
    assert.equal(records[0]?.node, text);
    const frames = records.map((record, i) => eventFrame(i + 1, record)).join('');
    const [first, second, ...more] = new SseParser().take(frames);
    assert.deepEqual([first?.id, second?.name, second?.id, more], ['1', 'node.lost', '2', []]);
    const data = JSON.parse(first?.data ?? '') as { nodeOid: string; event: { eventType: string } };
    assert.equal(data.nodeOid, text);
    return data.event.eventType;
  },
  CSV: (text) => {
    const rows = readCsv(written('csv', text));
    assert.deepEqual([rows.length, rows[1]?.length, rows[2]], [3, 3, ['b', '', '']]);
    const cell = rows[1]?.[1] as string;
    // The one change on purpose: what a spreadsheet would run has an apostrophe in front.
    return /^'[=+\-@\t\r]/.test(cell) && !text.startsWith("'") ? cell.slice(1) : cell;
  },
  'lines of JSON': (text) => {
    const lines = written('ndjson', text).split('\n');
    assert.equal(lines.length, 3);
    return JSON.parse(lines[0] as string).name;
  },
  JSON: (text) => JSON.parse(written('json', text))[0].name,
  'the log': (text) => {
    const lines: string[] = [];
    const log = createLogger({ write: (line) => void lines.push(line) }, 'info');
    log.info({ name: text, error: new Error(text) }, text);
    assert.equal(lines.length, 1);
    assert.equal(lines[0]?.indexOf('\n'), (lines[0]?.length as number) - 1, 'one line, and its end');
    const { name, message } = JSON.parse(lines[0] as string);
    assert.equal(message, text);
    return name;
  },
  'a header': (text) => {
    const { exchange } = newExchange({ path: '/api/v1/job', query: `q=${encodeURIComponent(text)}` });
    const [, value] = nextLink(exchange, Uint8Array.of(1), 'scope');
    assert.match(value, /^[\x20-\x7e]+$/, 'printable ASCII');
    const [, target = '', rest] = /^<([^>]*)>(.*)$/.exec(value) ?? [];
    assert.equal(rest, '; rel="next"');
    return new URL(target, 'http://a').searchParams.get('q');
  },
  'the text of metrics': (text) => {
    const registry = new MetricRegistry();
    registry.gauge('cairn_a', 'Help', { queue: text, shard: '0' });
    const lines = renderPrometheus(registry.snapshot()).split('\n');
    assert.equal(lines.length, 4);
    const [, value = ''] = /^cairn_a\{queue="((?:[^"\\\n]|\\["\\n])*)",shard="0"\} 0$/.exec(lines[2] as string) ?? [];
    return value.replace(/\\(.)/g, (_, c) => (c === 'n' ? '\n' : c));
  },
};

const AWKWARD = [
  ...['', ' a ', '"', '""', "'", '\\', '\\n', 'a,b', ';', '<img src=x onerror=alert(1)>', '</script>', '&amp;', '%0a'],
  ...['=1+1', '+1', '-1', '@x', "'=1", '{}', '[]', 'null', '__proto__', 'data: x', ': x', '\u2028', '\u2029', '\ufeff'],
  ...['\ufeffa', '\u200e', '\u202e', 'e\u0301', '\u{1f468}\u200d\u{1f469}', '\ufffd', '\uffff', '\u{10ffff}'],
];

for (const [name, sink] of Object.entries(SINKS)) {
  test(`${name} gives every code point back`, () => {
    for (const text of AWKWARD) if (text !== '' || name !== 'a job in the database') assert.equal(sink(text), text);
    for (const text of cleanTextsOf(400)) if (sink(text) !== text) assert.fail(`changed: ${JSON.stringify(text)}`);
  });
}

/** Intake lets none of these pass any more; what was stored before it did so must not break anything either. */
test('control characters that were stored once come back too', () => {
  for (const [name, sink] of Object.entries(SINKS)) {
    if (name === 'a key') continue;
    for (const unclean of uncleanTexts()) {
      const text = `a${unclean}b`;
      if (isWellFormed(text)) assert.equal(sink(text), text, name);
    }
  }
});

test('the reader of CSV takes a bare CR or LF for no end of a row', () => {
  assert.deepEqual(readCsv('a,"b\r\n""c"\r\n,\r\n'), [
    ['a', 'b\r\n"c'],
    ['', ''],
  ]);
  for (const text of ['a\rb\r\n', 'a\nb\r\n', 'a\n', 'a', '"a', '"a"b\r\n', 'a,', 'a"b\r\n'])
    assert.throws(() => readCsv(text), text);
});
