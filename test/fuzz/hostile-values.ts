/** Values, texts and bodies that do not belong where they are put. From a seed, so that a run can be repeated. */
import { gzipSync } from 'node:zlib';
import { Packr } from 'msgpackr';
import type { Random } from '../../src/base/random.ts';

const TEXTS = [
  '',
  ' ',
  '.',
  '..',
  '/',
  '\0',
  '\u2028',
  '\ud800',
  '💥',
  'n1',
  'j1',
  'node-n1',
  'system-total',
  'metricDef-runtime',
  '__proto__',
  'constructor',
  'toString',
  'null',
  'true',
  '-1',
  '1e999',
  'NaN',
  '../../etc/passwd',
  '%2e%2e%2f',
  '2026-11-01T10:00:00Z',
  '2026-02-30T10:00:00Z',
  '9999-12-31T23:59:59.999999999Z',
  '0000-01-01T00:00:00Z',
  '5m',
  '-5m',
  '9223372036854775807ns',
  '1h1h1h',
  '<script>',
  "' or 1=1",
  '{{7*7}}',
  'Job-Running',
  'Job-Succeeded',
  'x'.repeat(200),
  'x'.repeat(5_000),
];
const NUMBERS = [0, -0, 1, -1, 0.5, 1e308, -1e308, 5e-324, 2 ** 31, 2 ** 53, -(2 ** 63), 1e21, 4_294_967_296];
export const FIELDS = [
  'id',
  'queueName',
  'events',
  'timestamp',
  'eventType',
  'nodeOid',
  'metrics',
  'time',
  'beats',
  'seq',
  'objectId',
  'definitionId',
  'value',
  'kvMap',
  'instance',
  'instanceId',
  'ips',
  'cores',
  'nodeId',
  'ttl',
  'revokeOld',
  'name',
  'aggregation',
  'labels',
  'unit',
  'level',
  'maxSizeMB',
  'region',
  'userPoolID',
  'clientID',
  'adminGroups',
  'token',
  'accessKey',
  '__proto__',
  'constructor',
  '',
  'node.ttl',
  'job.customTags',
  'ckpt.ckptFiles',
  'security.idp.adminGroups',
];
const DEPTH_MAX = 4;

export function textOf(random: Random): string {
  if (random.chance(0.7)) return random.pick(TEXTS);
  return Array.from({ length: random.int(12) }, () => String.fromCharCode(random.int(0x180))).join('');
}

export function anyValue(random: Random, depth = 0): unknown {
  const kinds = depth >= DEPTH_MAX ? 5 : 8;
  switch (random.int(kinds)) {
    case 0:
      return random.pick([null, true, false]);
    case 1:
      return random.pick(NUMBERS);
    case 2:
    case 3:
    case 4:
      return textOf(random);
    case 5:
      return Array.from({ length: random.int(4) }, () => anyValue(random, depth + 1));
    default:
      return objectOf(random, depth);
  }
}

/** With fields that some schema knows, so that the fault is often further inside. */
export function objectOf(random: Random, depth = 0): object {
  const entries = Array.from(
    { length: random.int(5) },
    () => [random.pick(FIELDS), anyValue(random, depth + 1)] as const,
  );
  const object = {};
  for (const [key, value] of entries)
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  return object;
}

export interface Body {
  readonly bytes: Buffer;
  readonly headers: readonly string[];
}

const packr = new Packr({ useRecords: false });

/** JSON, MessagePack, lines, compressed, cut, not what they say they are, or bombs. */
export function bodyOf(random: Random, value: unknown): Body {
  const form = random.int(10);
  const json = Buffer.from(JSON.stringify(value) ?? 'undefined');
  let bytes: Buffer = json;
  const headers: string[] = [];
  if (form < 4) headers.push('content-type: application/json');
  else if (form < 6) {
    bytes = packr.pack(value);
    headers.push('content-type: application/msgpack');
  } else if (form === 6) {
    bytes = Buffer.concat([json, Buffer.from('\n'), json]);
    headers.push('content-type: application/x-ndjson');
  } else if (form === 7) {
    bytes = random.pick(BOMBS);
    headers.push(`content-type: ${random.pick(['application/json', 'application/msgpack', 'application/x-ndjson'])}`);
  } else headers.push(`content-type: ${textOf(random).replace(/[^ -~]/g, '')}`);
  if (random.chance(0.1)) bytes = bytes.subarray(0, random.int(bytes.length + 1));
  if (random.chance(0.1)) bytes = flipped(random, bytes);
  if (random.chance(0.15)) {
    bytes = random.chance(0.7) ? gzipSync(bytes) : bytes;
    if (random.chance(0.2)) bytes = bytes.subarray(0, random.int(bytes.length + 1));
    headers.push(`content-encoding: ${random.pick(['gzip', 'x-gzip', 'GZIP', 'br', 'identity', 'gzip, gzip', ''])}`);
  }
  return { bytes, headers };
}

export function flipped(random: Random, bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  for (let i = random.int(4); i >= 0 && copy.length > 0; i--) copy[random.int(copy.length)] = random.int(256);
  return copy;
}

/** Small to send, large or deep or long to read. */
const BOMBS: readonly Buffer[] = [
  Buffer.from('['.repeat(100_000)),
  Buffer.from(`${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`),
  Buffer.from(`"${'\\u0000'.repeat(20_000)}"`),
  Buffer.from(`[${'0,'.repeat(50_000)}0]`),
  Buffer.from(`1${'0'.repeat(100_000)}`),
  // MessagePack: an array, a map, a text and bytes of 4 GiB that are not there, nested arrays, odd extensions.
  Buffer.from([0xdd, 0xff, 0xff, 0xff, 0xff]),
  Buffer.from([0xdf, 0xff, 0xff, 0xff, 0xff]),
  Buffer.from([0xdb, 0xff, 0xff, 0xff, 0xff]),
  Buffer.from([0xc6, 0xff, 0xff, 0xff, 0xff]),
  Buffer.alloc(50_000, 0x91),
  Buffer.alloc(50_000, 0x81),
  Buffer.from([0xc9, 0xff, 0xff, 0xff, 0xff, 0x72]),
  Buffer.from([0xd6, 0xff, 0xff, 0xff, 0xff, 0xff]),
  Buffer.from([0xd4, 0x72, 0x40]),
  Buffer.from([0xc7, 0x10, 0x65, 0, 0, 0, 0]),
  Buffer.from([0xd5, 0x69, 0xff, 0xff]),
  Buffer.from([0xc1]),
];
