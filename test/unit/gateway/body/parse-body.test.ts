import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { pack } from 'msgpackr';
import { z } from 'zod';
import { CodedError, type ErrorName } from '../../../../src/base/errors.ts';
import { bodyKindOf, decompress, faultsOf, parseBody, validate } from '../../../../src/gateway/body/parse-body.ts';
import type { BodyKind, RouteBody } from '../../../../src/gateway/http/route.ts';
import { newExchange } from '../../../support/fake-exchange.ts';
import fc from '../../../support/laws/fast-check.ts';

function body(...kinds: readonly BodyKind[]): RouteBody {
  return { schema: null, kinds, sizeMax: 1_000 };
}

function isCoded(name: ErrorName, detail?: RegExp): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof CodedError, String(error));
    assert.equal(error.name, name);
    if (detail) assert.match(error.message, detail);
    return true;
  };
}

function kindOf(type: string, of: RouteBody): BodyKind {
  return bodyKindOf(newExchange({ headers: { 'content-type': type } }).exchange, of);
}

test('the content type says how a body is read; none at all means JSON', () => {
  const all = body('json', 'msgpack', 'ndjson');
  const kinds: readonly (readonly [string, BodyKind])[] = [
    ['', 'json'],
    ['application/json', 'json'],
    ['application/json; charset=utf-8', 'json'],
    ['Application/JSON ;charset=UTF-8', 'json'],
    ['application/msgpack', 'msgpack'],
    ['application/x-msgpack', 'msgpack'],
    ['application/vnd.msgpack', 'msgpack'],
    ['application/x-ndjson', 'ndjson'],
    ['application/ndjson', 'ndjson'],
  ];
  for (const [type, kind] of kinds) assert.equal(kindOf(type, all), kind, type);
});

test('a type that the route does not read is unsupported, and the answer says what it reads', () => {
  for (const type of ['text/plain', 'application/jsonx', 'multipart/form-data', 'constructor', 'application/x-ndjson'])
    assert.throws(
      () => kindOf(type, body('json', 'msgpack')),
      isCoded('unsupportedMediaType', /want application\/json or application\/msgpack$/),
    );
});

test('a route of bytes takes every type', () => {
  for (const type of ['', 'text/plain', 'application/json', '%%']) assert.equal(kindOf(type, body('bytes')), 'bytes');
});

function unzip(bytes: Uint8Array, encoding: string, sizeMax = 100_000): Promise<Buffer> {
  return decompress(newExchange({ headers: { 'content-encoding': encoding } }).exchange, Buffer.from(bytes), sizeMax);
}

test('gzip is taken off, other encodings are not known', async () => {
  for (const encoding of ['gzip', 'x-gzip', ' GZIP '])
    assert.equal(String(await unzip(gzipSync('abc'), encoding)), 'abc');
  for (const encoding of ['', 'identity']) assert.equal(String(await unzip(Buffer.from('abc'), encoding)), 'abc');
  for (const encoding of ['br', 'deflate', 'gzip, gzip', 'zstd'])
    await assert.rejects(unzip(gzipSync('abc'), encoding), isCoded('unsupportedMediaType'), encoding);
});

test('the limit holds for what comes out of a body, small or large on the wire', async () => {
  assert.equal((await unzip(gzipSync(Buffer.alloc(5_000)), 'gzip', 5_000)).byteLength, 5_000);
  await assert.rejects(
    unzip(gzipSync(Buffer.alloc(5_001)), 'gzip', 5_000),
    isCoded('tooLarge', /exceeds the limit of 5000/),
  );
  // A bomb: 50 MB in 50 kB, which goes the way of large bodies.
  const bomb = gzipSync(Buffer.alloc(50_000_000));
  assert.ok(bomb.byteLength > 16_384);
  await assert.rejects(unzip(bomb, 'gzip', 1_000_000), isCoded('tooLarge'));
});

test('bytes that are no gzip, or not all of it, are malformed', async () => {
  const whole = gzipSync(Buffer.from('{"a":1}'));
  const flipped = Buffer.from(whole);
  flipped[flipped.length - 5] = (flipped.at(-5) as number) ^ 1;
  const noise = Buffer.from(Array.from({ length: 20_000 }, (_, i) => (i * 37) % 251));
  for (const bytes of [Buffer.from('{"a":1}'), whole.subarray(0, -4), Buffer.alloc(0), flipped, noise])
    await assert.rejects(unzip(bytes, 'gzip'), isCoded('malformed', /not gzip/));
});

test('JSON is read, and what is not JSON or not UTF-8 is malformed, without a word of it in the answer', () => {
  assert.deepEqual(parseBody('json', Buffer.from('{"a":[1,"ü"]}')), { a: [1, 'ü'] });
  for (const text of ['', '{', '{"secret":}', "{'a':1}", 'NaN', '[1,]', '\ufeff{}', 'undefined'])
    assert.throws(
      () => parseBody('json', Buffer.from(text)),
      (error) => isCoded('malformed', /not JSON \(\d+ bytes\)/)(error) && !/secret/.test(String(error)),
      text,
    );
  assert.throws(() => parseBody('json', Buffer.from([0x22, 0xff, 0xfe, 0x22])), isCoded('malformed', /not UTF-8/));
  assert.throws(() => parseBody('ndjson', Buffer.from([0xc3])), isCoded('malformed', /not UTF-8/));
});

test('the byte that MessagePack never uses is malformed, as an end in the middle is', () => {
  for (const bytes of [[0xc1], [0x92, 0x01], []])
    assert.throws(() => parseBody('msgpack', Buffer.from(bytes)), isCoded('malformed', /not MessagePack/));
});

test('a key that names a prototype is a key like any other', () => {
  for (const [kind, bytes] of [
    ['json', Buffer.from('{"__proto__":{"polluted":true},"constructor":1}')],
    ['msgpack', pack(JSON.parse('{"__proto__":{"polluted":true},"constructor":1}'))],
  ] as const) {
    const value = parseBody(kind, bytes) as Record<string, unknown>;
    assert.equal(Object.getPrototypeOf(value), Object.prototype);
    assert.equal(value['constructor'], 1);
    assert.ok(!('polluted' in {}));
    assert.equal((value as { polluted?: unknown }).polluted, undefined);
  }
});

test('NDJSON is one value a line; empty lines mean nothing, and a bad line is told by its number', () => {
  assert.deepEqual(parseBody('ndjson', Buffer.from('{"a":1}\r\n\n  \n[2]\n3')), [{ a: 1 }, [2], 3]);
  assert.deepEqual(parseBody('ndjson', Buffer.from('')), []);
  assert.throws(
    () => parseBody('ndjson', Buffer.from('{"a":1}\n\n{"b"}\n')),
    isCoded('malformed', /line 3 is not JSON/),
  );
  assert.throws(() => parseBody('ndjson', Buffer.from('{"a":1} {"b":2}')), isCoded('malformed', /line 1/));
});

test('MessagePack is read into what JSON would give, also numbers of 64 bits', () => {
  const value = { id: 'n-1', list: [1, -1, 1.5, null, true], deep: { ü: 'ö' } };
  assert.deepEqual(parseBody('msgpack', pack(value)), value);
  assert.deepEqual(parseBody('msgpack', pack(new Map([['a', 1]]))), { a: 1 });
  const big = Buffer.from([0x92, 0xcf, 0, 0, 1, 0, 0, 0, 0, 0, 0xd3, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe]);
  assert.deepEqual(parseBody('msgpack', big), [2 ** 40, -2]);
});

test('no bytes make MessagePack throw anything but malformed, nor change how the next body is read', () => {
  const piece = fc.oneof(
    fc.uint8Array({ maxLength: 6 }),
    // Heads of long arrays, maps, texts and extensions, and msgpackr's own extension of record definitions.
    fc
      .constantFrom(
        [0xdd, 0xff, 0xff, 0xff, 0xff],
        [0xdf, 0x7f, 0xff, 0xff, 0xff],
        [0xdb, 0xff, 0xff, 0xff, 0xff],
        [0xc9, 0xff, 0xff, 0xff, 0xff, 0x72],
        [0xd4, 0x72, 0x40, 0x92, 0xa1, 0x61, 0xa1, 0x62, 1, 2],
        [0xd6, 0x69, 0, 0, 0, 1],
        [0x91],
        [0x81],
        [0xc1],
      )
      .map((bytes) => Uint8Array.from(bytes)),
  );
  const next = Buffer.from([0x93, 0x40, 0x41, 0x7f]);
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 5 }), (pieces) => {
      try {
        parseBody('msgpack', Buffer.concat(pieces));
      } catch (error) {
        isCoded('malformed', /not MessagePack/)(error);
      }
      assert.deepEqual(parseBody('msgpack', next), [0x40, 0x41, 0x7f]);
    }),
    { numRuns: 3_000 },
  );
});

const SCHEMA = z.object({ id: z.string(), list: z.array(z.number()).max(3) });

test('a valid value loses what nobody knows, an invalid one is told field by field', () => {
  assert.deepEqual(validate(SCHEMA, { id: 'a', list: [1], extra: 1 }), { id: 'a', list: [1] });
  const fieldsOf = (value: unknown): Record<string, unknown> => {
    try {
      validate(SCHEMA, value);
    } catch (error) {
      isCoded('invalid')(error);
      return (error as CodedError).fields ?? {};
    }
    return {};
  };
  assert.deepEqual(Object.keys(fieldsOf({ id: 1, list: [1, 'x'] })), ['id', 'list.1']);
  for (const value of [null, undefined, 5, [], 'text']) assert.ok(Object.keys(fieldsOf(value)).length > 0);
  assert.deepEqual(Object.keys(fieldsOf(null)), ['body']);
});

test('at most twenty faults are told, by names of bounded length, whatever the names are', () => {
  const many = z.array(z.string()).safeParse(new Array(50).fill(1));
  assert.ok(!many.success);
  assert.equal(Object.keys(faultsOf(many.error)).length, 20);
  const record = z.record(z.string(), z.number());
  const hostile = record.safeParse(JSON.parse(`{"__proto__":"x","${'y'.repeat(1_000)}":"x"}`));
  assert.ok(!hostile.success);
  const fields = faultsOf(hostile.error);
  assert.equal(Object.getPrototypeOf(fields), Object.prototype);
  assert.ok(Object.keys(fields).every((name) => name.length <= 256));
});
