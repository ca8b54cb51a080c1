/**
 * Law: a body that is read in slices is what its decoder makes of it in one, or is refused where that refuses it, whatever is
 * in it and however it is damaged; and no slice is longer than its bound.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pack, Unpackr } from 'msgpackr';
import { jsonInSlices, SLICE_BYTES, WHOLE_MAX } from '../../src/gateway/body/json-slices.ts';
import { msgpackInSlices } from '../../src/gateway/body/msgpack-slices.ts';
import { parseBody, parseLargeBody } from '../../src/gateway/body/parse-body.ts';
import { readSampleLines, sampleLinesInSlices } from '../../src/gateway/body/sample-lines.ts';
import type { Sliced } from '../../src/gateway/body/turns.ts';
import fc from '../support/laws/fast-check.ts';

/** How often a value stands in its place: some places hold more than one cut's worth. */
const fill = (value: unknown): unknown[] => {
  const size = JSON.stringify(value).length + 1;
  return Array.from({ length: Math.ceil(WHOLE_MAX / size) }, () => value);
};

/** Values with parts that are longer than what is parsed at once, at any depth. */
const small = fc.jsonValue({ maxDepth: 2 });
const name = fc.oneof(fc.string(), fc.constantFrom('__proto__', '"', '\\', ',:[]{}', 'events', '7'));
const { large } = fc.letrec<{ large: unknown }>((tie) => ({
  large: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    small,
    small.map(fill),
    fc.array(tie('large'), { maxLength: 4 }),
    fc.array(fc.tuple(name, tie('large')), { maxLength: 4 }).map((entries) => Object.fromEntries(entries)),
    fc.string().map((text) => text.repeat(WHOLE_MAX / 8)),
  ),
}));

interface Outcome {
  readonly value?: unknown;
  readonly refused?: true;
}

function outcomeOf(work: () => unknown): Outcome {
  try {
    return { value: work() };
  } catch {
    return { refused: true };
  }
}

function run<T>(work: Sliced<T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

const unpackr = new Unpackr({ useRecords: false, mapsAsObjects: true, int64AsType: 'number' });
const decode = (bytes: Uint8Array): unknown => unpackr.unpack(bytes);
const RUNS = { numRuns: 150 };

test('JSON in slices is what JSON.parse makes of it, with blanks and without', () => {
  fc.assert(
    fc.property(large, fc.constantFrom(undefined, 1, '\t'), (value, indent) => {
      const bytes = Buffer.from(JSON.stringify(value, null, indent));
      assert.deepEqual(run(jsonInSlices(bytes)), JSON.parse(bytes.toString()));
    }),
    RUNS,
  );
});

test('lists and objects that hold nothing but a long blank are empty', () => {
  const blank = ' '.repeat(WHOLE_MAX + 1);
  for (const text of [`[${blank}]`, `{${blank}}`, `{"a":[${blank}],"b":{${blank}}}`, `[1,${blank}2]`, `[{}${blank}]`])
    assert.deepEqual(run(jsonInSlices(Buffer.from(text))), JSON.parse(text));
  for (const text of [`[1,${blank}]`, `[${blank},1]`, `{"a":1,${blank}}`, `{${blank}:1}`, `{"a":${blank}}`])
    assert.throws(() => run(jsonInSlices(Buffer.from(text))), SyntaxError, text.trim().slice(0, 9));
});

test('damaged JSON is refused where JSON.parse refuses it, and nowhere else', () => {
  const damage = fc.tuple(
    fc.nat(),
    fc.nat(2),
    fc.constantFrom('', ',', ':', '"', '[', ']', '{', '}', '\\', ' ', '1', 'x'),
  );
  fc.assert(
    fc.property(
      fc.oneof(small.map(fill), large),
      fc.array(damage, { minLength: 1, maxLength: 2 }),
      (value, damages) => {
        let text = JSON.stringify({ a: value, b: [value] });
        for (const [place, removed, added] of damages) {
          // Near the cuts and the ends as often as anywhere.
          const spots = [0, 1, text.length - 1, text.length, WHOLE_MAX, text.length >> 1];
          const at = place % 2 === 0 ? (spots[(place >> 1) % spots.length] as number) : place % (text.length + 1);
          text = text.slice(0, at) + added + text.slice(at + removed);
        }
        const bytes = Buffer.from(text);
        assert.deepEqual(
          outcomeOf(() => run(jsonInSlices(bytes))),
          outcomeOf(() => JSON.parse(bytes.toString())),
        );
      },
    ),
    { numRuns: 400 },
  );
});

test('cuts next to every delimiter: an element too few or too many is found', () => {
  const long = JSON.stringify('x'.repeat(WHOLE_MAX));
  const parts = [
    '',
    ' ',
    '1',
    long,
    '[]',
    `[${long}]`,
    '{}',
    `"a":${long}`,
    '"a":1',
    '"a"',
    ':',
    `${long}:1`,
    `"__proto__":${long}`,
  ];
  for (const first of parts)
    for (const second of parts)
      for (const [open, close] of ['[]', '{}', '[}', '{]'] as const)
        for (const text of [
          `${open}${first},${second}${close}`,
          `${open}${first}${second}${close}`,
          `${open}${first}}${second}${close}`,
          `${open}${first}]${second}${close}`,
          `${open}${first},${second},${long}${close}`,
        ]) {
          const bytes = Buffer.from(text);
          assert.deepEqual(
            outcomeOf(() => run(jsonInSlices(bytes))),
            outcomeOf(() => JSON.parse(text)),
            text.length > 200 ? `${text.slice(0, 60)}…${text.slice(-40)}` : text,
          );
        }
});

test('MessagePack in slices is what its decoder makes of it, whole or cut off', () => {
  fc.assert(
    fc.property(large, fc.option(fc.nat()), (value, cut) => {
      const whole = pack(value);
      const bytes = cut === null ? whole : whole.subarray(0, cut % (whole.byteLength + 1));
      if (bytes.byteLength === 0) return;
      assert.deepEqual(
        outcomeOf(() => run(msgpackInSlices(bytes, decode))),
        outcomeOf(() => decode(bytes)),
      );
      const longer = Buffer.concat([whole, Buffer.of(0xc0)]);
      assert.ok(outcomeOf(() => run(msgpackInSlices(longer, decode))).refused);
    }),
    RUNS,
  );
});

test('every type of MessagePack is passed over by its own size', () => {
  const sizes: Record<number, number> = { 196: 1, 197: 2, 198: 4, 217: 1, 218: 2, 219: 4, 199: 1, 200: 2, 201: 4 };
  const filler = Buffer.alloc(WHOLE_MAX, 7);
  for (let type = 0; type < 256; type++) {
    // A value of the type among others, in an array that is long enough to be cut: what follows must be found.
    const length = sizes[type];
    const body = Buffer.alloc(64);
    if (length !== undefined) body.writeUIntBE(3, 0, length);
    const one = Buffer.concat([Buffer.of(type), body]);
    for (let size = 1; size <= 64; size++) {
      const inner = one.subarray(0, size);
      if (outcomeOf(() => decode(Buffer.concat([Buffer.of(0x92), inner, Buffer.of(0x2a)]))).refused) continue;
      const bytes = Buffer.concat([Buffer.of(0xdd, 0, 1, 0, 2), inner, Buffer.of(0x2a), filler]);
      assert.deepEqual(run(msgpackInSlices(bytes, decode)), decode(bytes), `type ${type.toString(16)}`);
    }
  }
});

test('no slice looks at or parses more bytes than its bound, so a large body has as many turns as it needs', () => {
  const events = fill({ timestamp: '2026-01-31T08:00:00Z', eventType: 'Job-Running' });
  const value = Array.from({ length: 20 }, () => ({ id: 'j', events }));
  for (const [bytes, work] of [
    [Buffer.from(JSON.stringify(value)), jsonInSlices] as const,
    [Buffer.from(JSON.stringify({ one: value })), jsonInSlices] as const,
    [pack(value), (body: Buffer) => msgpackInSlices(body, decode)] as const,
  ]) {
    let slices = 1;
    for (const _ of work(bytes)) slices++;
    assert.ok(slices >= bytes.byteLength / SLICE_BYTES, `${slices} slices for ${bytes.byteLength} bytes`);
  }
});

test('large bodies of every kind are read as small ones are', async () => {
  const value = fill({ id: 'j', events: [{ eventType: 'é, "ü"' }] });
  const lines = value.map((entry) => JSON.stringify(entry)).join('\n');
  for (const [kind, bytes] of [
    ['json', Buffer.from(JSON.stringify(value))],
    ['msgpack', pack(value)],
    ['ndjson', Buffer.from(`${lines}\n\n \n`)],
  ] as const)
    assert.deepEqual(await parseLargeBody(kind, bytes), parseBody(kind, bytes), kind);
  for (const [kind, bytes] of [
    ['json', Buffer.from(`${JSON.stringify(value)}]`)],
    ['json', Buffer.concat([Buffer.from('["'), Buffer.alloc(WHOLE_MAX, 0xff), Buffer.from('"]')])],
    ['msgpack', Buffer.concat([pack(value), Buffer.of(0)])],
    ['ndjson', Buffer.from(`${lines}\n{`)],
  ] as const) {
    let text = '';
    assert.throws(
      () => parseBody(kind, bytes),
      (error: Error) => {
        text = error.message;
        return true;
      },
    );
    await assert.rejects(parseLargeBody(kind, bytes), { name: 'malformed', message: text });
  }
});

test('what no call may have is refused before it is made: names, entries, depth, values', () => {
  const object = (names: number): object => Object.fromEntries(Array.from({ length: names }, (_, i) => [`n${i}`, [1]]));
  const deep = (depth: number, value: unknown): unknown => (depth === 0 ? value : [deep(depth - 1, value)]);
  const list = (entries: number): number[] => new Array<number>(entries).fill(1);
  const good = [object(16_384), { a: object(16_384) }, list(131_072), deep(7, list(WHOLE_MAX)), deep(100, 1)];
  const bad = [object(16_385), { a: object(16_385) }, list(131_073), [list(131_073)], deep(8, list(WHOLE_MAX))];
  for (const value of [...good, ...bad]) {
    const isGood = good.includes(value);
    for (const [bytes, work] of [
      [Buffer.from(JSON.stringify(value)), jsonInSlices(Buffer.from(JSON.stringify(value)))],
      [pack(value), msgpackInSlices(pack(value), decode)],
    ] as const) {
      if (isGood) assert.deepEqual(run(work), value);
      else assert.throws(() => run(work), { name: 'invalid' }, `${bytes.byteLength} bytes`);
    }
  }
  const lists = (count: number): Buffer => {
    const one = Buffer.concat([Buffer.of(0xdd, 0, 1, 0, 0), Buffer.alloc(65_536, 0xc0)]);
    return Buffer.concat([Buffer.of(0xdc, 0, count), ...new Array<Buffer>(count).fill(one)]);
  };
  assert.equal((run(msgpackInSlices(lists(31), decode)) as unknown[]).length, 31);
  assert.throws(() => run(msgpackInSlices(lists(32), decode)), { name: 'invalid' });
});

test('a line that is too long to be parsed at once is read in slices, and is what it is in one', async () => {
  const long = JSON.stringify({ id: 'a', events: fill({ timestamp: '2026-01-31T08:00:00Z' }) });
  const text = ['{"id":"b"}', long, ' '.repeat(WHOLE_MAX + 1), '[2]'].join('\n');
  const read = await parseLargeBody('ndjson', Buffer.from(text));
  assert.deepEqual(read, parseBody('ndjson', Buffer.from(text)));
  const lines = await readSampleLines(Buffer.from(text));
  assert.deepEqual([lines.count, lines.at(0), lines.at(1), lines.at(2)], [3, { id: 'b' }, JSON.parse(long), [2]]);
  for (const reader of [(bytes: Buffer) => parseLargeBody('ndjson', bytes), readSampleLines])
    await assert.rejects(reader(Buffer.from(`{"id":"b"}\n${long}}\n`)), /line 2 is not JSON/);
  const turns = [...sampleLinesInSlices(Buffer.from(`[${new Array(20).fill(long).join(',')}]`))].length;
  assert.ok(turns >= 4, `${turns} turns for one line`);
});
