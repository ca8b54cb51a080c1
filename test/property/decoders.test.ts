/** Law: what a decoder is handed, damaged in any way, gives a value or a coded error; nothing else is ever thrown. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pack } from 'msgpackr';
import { unpackMessages } from '../../src/actors/shard/wire/message-codec.ts';
import { CodedError } from '../../src/base/errors.ts';
import { EVENT_TYPES, eventFrame, type PublicEvent } from '../../src/protocol/event.ts';
import { LEVELS } from '../../src/protocol/rollup-retention.ts';
import { tryParseTimestamp } from '../../src/protocol/timestamp.ts';
import { decodeEvent, encodeEvent } from '../../src/store/commit/event-log.ts';
import { TABLES } from '../../src/store/kv/tables.ts';
import { visitWrites, WriteBatch } from '../../src/store/kv/write-batch.ts';
import { beatKeyOf, decodeBeats, encodeBeats } from '../../src/store/records/heartbeat-log.ts';
import { decodeJobRecord, encodeJobRecord, type JobRecord, jobJsonOf } from '../../src/store/records/job-record.ts';
import {
  decodeNodePrice,
  decodeNodeRecord,
  encodeNodePrice,
  encodeNodeRecord,
  type NodePrice,
  type NodeRecord,
} from '../../src/store/records/node-record.ts';
import { expiryValue, readExpiryValue } from '../../src/store/series/series-index.ts';
import { encodeSegment } from '../../src/store/series/series-segment.ts';
import fc from '../support/laws/fast-check.ts';
import { decodeWhole, sliceContent } from '../support/series-content.ts';

const RUNS = 1_500;

/** One way to damage bytes. Places are fractions, so that one fault fits every length. */
type Fault =
  | { readonly type: 'cut'; readonly at: number }
  | { readonly type: 'flip'; readonly at: number; readonly bit: number }
  | { readonly type: 'set'; readonly at: number; readonly byte: number }
  | { readonly type: 'append'; readonly bytes: Uint8Array };

const at = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const fault: fc.Arbitrary<Fault> = fc.oneof(
  fc.record({ type: fc.constant('cut' as const), at }),
  fc.record({ type: fc.constant('flip' as const), at, bit: fc.nat(7) }),
  fc.record({
    type: fc.constant('set' as const),
    at,
    byte: fc.constantFrom(0, 0x7f, 0x80, 0xc1, 0xd4, 0xdd, 0xdf, 0xff),
  }),
  fc.record({ type: fc.constant('append' as const), bytes: fc.uint8Array({ minLength: 1, maxLength: 4 }) }),
);
const faults = fc.array(fault, { minLength: 1, maxLength: 3 });

function damage(whole: Uint8Array, all: readonly Fault[]): Uint8Array {
  let bytes = Uint8Array.from(whole);
  for (const one of all) {
    if (one.type === 'append') bytes = Uint8Array.from([...bytes, ...one.bytes]);
    else if (one.type === 'cut') bytes = bytes.slice(0, Math.floor(one.at * bytes.length));
    else if (bytes.length > 0) {
      const place = Math.floor(one.at * bytes.length);
      bytes[place] = one.type === 'set' ? one.byte : (bytes[place] as number) ^ (1 << one.bit);
    }
  }
  return bytes;
}

/** Holds the law for damaged records and for bytes that were never one. Where damage must be found, `finds` says so. */
function holdsLaw(record: fc.Arbitrary<Uint8Array>, decode: (bytes: Uint8Array) => unknown, finds = false): void {
  const check = (bytes: Uint8Array, mustFail: boolean): void => {
    try {
      decode(bytes);
    } catch (error) {
      assert.ok(error instanceof CodedError, `threw ${error instanceof Error ? error.stack : String(error)}`);
      assert.ok(error.name === 'recordDamaged' || error.name === 'internal', error.name);
      return;
    }
    assert.ok(!mustFail, 'damage was taken for a record');
  };
  fc.assert(
    fc.property(record, faults, (whole, all) => {
      const damaged = damage(whole, all);
      check(damaged, finds && Buffer.compare(whole, damaged) !== 0);
    }),
    { numRuns: RUNS },
  );
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), fc.boolean(), (bytes, versioned) => {
      if (versioned && bytes.length > 0) bytes[0] = 1;
      check(bytes, false);
    }),
    { numRuns: RUNS },
  );
}

/** Plain objects, as decoders make them. */
function objects<T extends object>(fields: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<T> {
  return fc.record(fields, { noNullPrototype: true }) as unknown as fc.Arbitrary<T>;
}

const text = fc.string({ unit: 'grapheme', maxLength: 12 });
const jobRecord = objects<JobRecord>({
  meta: objects({
    receivedAtMs: fc.double({ min: 0, max: 1e13, noNaN: true }),
    counted: fc.option(
      objects({
        runtimeNs: fc.bigInt({ min: 0n, max: 1n << 70n }).map(String),
        runNs: fc.bigInt({ min: 0n, max: 1n << 70n }).map(String),
        cost: fc.double({ min: 0, max: 1e6, noNaN: true }),
        onDemandSavings: fc.double({ min: -1e6, max: 1e6, noNaN: true }).map((value) => value + 0),
      }),
    ),
    folded: fc.option(objects({ pairs: fc.nat(), through: fc.bigInt().map(String) })),
  }),
  job: objects({
    id: text,
    queueName: text,
    createdAt: text,
    updatedAt: text,
    status: text,
    nodeOid: text,
    containerId: text,
    spotProtCount: fc.nat(),
    batchJobIds: fc.array(text, { maxLength: 3 }),
    volumeIds: fc.array(text, { maxLength: 3 }),
    events: fc.array(objects({ timestamp: text, eventType: text }), { maxLength: 3 }),
  }),
});

test('a job record is read as what was written', () => {
  fc.assert(
    fc.property(jobRecord, ({ meta, job }) => {
      assert.deepEqual(decodeJobRecord(encodeJobRecord(meta, job)), { meta, job });
    }),
  );
});

test('a damaged job record gives a value or a coded error', () => {
  const bytes = jobRecord.map(({ meta, job }) => encodeJobRecord(meta, job));
  holdsLaw(bytes, (damaged) => {
    const { meta, job } = decodeJobRecord(damaged);
    assert.ok(typeof meta === 'object' && typeof job === 'object' && job !== null);
  });
  holdsLaw(bytes, jobJsonOf);
});

const publicEvent = objects<PublicEvent>({
  type: fc.constantFrom(...EVENT_TYPES),
  timeMs: fc.maxSafeInteger(),
  queue: text,
  job: text,
  node: text,
  json: fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify(value)),
});

test('a damaged event record gives an event that can be sent as one frame, or nothing', () => {
  fc.assert(fc.property(publicEvent, (event) => assert.deepEqual(decodeEvent(encodeEvent(event)), event)));
  holdsLaw(
    publicEvent.map((event) => Uint8Array.from(encodeEvent(event))),
    (damaged) => {
      const event = decodeEvent(damaged);
      if (event !== null) assert.match(eventFrame(1, event), /^event: [a-z.]+\nid: 1\ndata: [^\r\n]*\n\n$/);
    },
  );
});

const nodeRecord = objects<NodeRecord>({
  factsJson: fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify(value)),
  state: fc.constantFrom('alive', 'lost', 'deregistered'),
  registeredAtMs: fc.double({ min: 0, max: 1e13, noNaN: true }),
  endedAtMs: fc.option(fc.double({ min: 0, max: 1e13, noNaN: true })),
  lastBeatWallMs: fc.nat(),
  drained: fc.boolean(),
  interruption: fc.option(
    fc.oneof(
      objects({ action: text, time: fc.constant('2026-01-31T12:00:00.5Z') }),
      objects({
        action: text,
        time: fc.constant('2026-01-31T12:00:00.5Z'),
        receivedAt: fc.constant('2026-01-31T11:58:00.25Z'),
      }),
    ),
  ),
});

test('a damaged node record gives a record or a coded error', () => {
  fc.assert(fc.property(nodeRecord, (record) => assert.deepEqual(decodeNodeRecord(encodeNodeRecord(record)), record)));
  holdsLaw(nodeRecord.map(encodeNodeRecord), (damaged) => {
    const record = decodeNodeRecord(damaged);
    assert.equal(typeof record.factsJson, 'string');
    assert.ok(['alive', 'lost', 'deregistered'].includes(record.state));
    assert.equal(typeof record.registeredAtMs, 'number');
    assert.ok(record.endedAtMs === null || typeof record.endedAtMs === 'number');
    assert.equal(typeof record.lastBeatWallMs, 'number');
    assert.equal(typeof record.drained, 'boolean');
    if (record.interruption) assert.ok(tryParseTimestamp(record.interruption.time) !== undefined);
  });
});

const nodePrice = objects<NodePrice>({
  nodeId: text,
  spot: fc.boolean(),
  price: fc.double({ min: 0, max: 1e3, noNaN: true }),
  onDemandPrice: fc.double({ min: 0, max: 1e3, noNaN: true }),
});

test('a damaged node price gives a price or a coded error', () => {
  fc.assert(fc.property(nodePrice, (price) => assert.deepEqual(decodeNodePrice(encodeNodePrice(price)), price)));
  holdsLaw(nodePrice.map(encodeNodePrice), (damaged) => {
    const { nodeId, spot, price, onDemandPrice } = decodeNodePrice(damaged);
    assert.deepEqual(
      [typeof nodeId, typeof spot, typeof price, typeof onDemandPrice],
      ['string', 'boolean', 'number', 'number'],
    );
  });
});

test('a segment is read as what was written, and any damage to it is found', () => {
  for (const { intervalMs, ...level } of LEVELS) {
    const content = sliceContent({ ...level, intervalMs }, 0);
    fc.assert(
      fc.property(content, (written) => {
        assert.deepEqual(decodeWhole(encodeSegment(written, 0, intervalMs), 0, intervalMs), written);
      }),
    );
    const bytes = content.map((written) => encodeSegment(written, 0, intervalMs));
    holdsLaw(bytes, (damaged) => decodeWhole(damaged, 0, intervalMs), true);
  }
});

const writes = fc.array(
  fc.tuple(
    fc.constantFrom(...TABLES),
    fc.uint8Array({ minLength: 1, maxLength: 12 }),
    fc.option(fc.uint8Array({ maxLength: 30 })),
  ),
  { minLength: 1, maxLength: 5 },
);

test('a damaged write batch is walked through, or gives a coded error', () => {
  const batch = writes.map((operations) => {
    const packed = new WriteBatch();
    for (const [table, key, value] of operations) {
      if (value === null) packed.remove(table, key);
      else packed.put(table, key, value);
    }
    return packed.seal();
  });
  const known = new Set<string>(TABLES);
  holdsLaw(batch, (damaged) => {
    const look = (table: string, key: Uint8Array): void => {
      assert.ok(known.has(table));
      assert.ok(key.byteLength > 0, 'no store takes an empty key');
    };
    visitWrites(damaged, { put: look, remove: look });
  });
});

test('a damaged group of message batches gives message batches or a coded error', () => {
  const packed = fc
    .array(fc.tuple(text, text, fc.array(objects({ type: text, n: fc.integer() }), { maxLength: 3 })), {
      maxLength: 3,
    })
    .map((group) => pack(group));
  holdsLaw(packed, (damaged) => {
    for (const { to, messages } of unpackMessages(damaged))
      assert.deepEqual([typeof to.kind, typeof to.id, Array.isArray(messages)], ['string', 'string', true]);
  });
});

test('damaged rows of heartbeats give rows or a coded error', () => {
  const rows = fc.array(objects({ id: text, wallMs: fc.double({ min: 0, max: 1e13, noNaN: true }) }), { maxLength: 5 });
  fc.assert(
    fc.property(rows, (written) => {
      const read: [number, number][] = [];
      decodeBeats(encodeBeats(written), (key, wallMs) => read.push([key, wallMs]));
      assert.deepEqual(
        read,
        written.map(({ id, wallMs }) => [beatKeyOf(id), wallMs]),
      );
    }),
  );
  holdsLaw(rows.map(encodeBeats), (damaged) =>
    decodeBeats(damaged, (key, wallMs) => assert.deepEqual([typeof key, typeof wallMs], ['number', 'number'])),
  );
});

test('a damaged record of a leaving series gives a time or a coded error', () => {
  const since = fc.nat(8_000_000_000_000);
  fc.assert(fc.property(since, (ms) => assert.equal(readExpiryValue(expiryValue(ms)), ms)));
  holdsLaw(since.map(expiryValue), (damaged) => assert.equal(typeof readExpiryValue(damaged), 'number'));
});
