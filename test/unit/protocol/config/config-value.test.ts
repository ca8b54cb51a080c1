import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  CONFIG_FIELD_BY_PATH,
  CONFIG_FIELDS,
  type ConfigField,
} from '../../../../src/protocol/config/config-fields.ts';
import { readConfigJson, readConfigText } from '../../../../src/protocol/config/config-value.ts';
import fc from '../../../support/laws/fast-check.ts';

function field(path: string): ConfigField {
  const found = CONFIG_FIELD_BY_PATH.get(path);
  assert.ok(found, path);
  return found;
}

/** Path, text of configKV, what GET /api/v1/config shows then. */
const GOOD_TEXTS: readonly (readonly [string, string, unknown])[] = [
  ['addr', 'http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
  ['addr', 'https://10.0.0.1:443/', 'https://10.0.0.1:443'],
  ['log.file', '/var/log/x.log', '/var/log/x.log'],
  ['log.level', 'trace', 'trace'],
  ['log.maxSizeMB', '500', 500],
  ['log.maxSizeMB', '+7', 7],
  ['log.maxBackups', '0', 0],
  ['ckpt.tcpClose', 'true', true],
  ['ckpt.tcpClose', 'false', false],
  ['ckpt.ckptInterval', '90m', '1h30m0s'],
  ['ckpt.ckptInterval', '0.5s', '500ms'],
  ['ckpt.ckptFiles', 'a,b , c', ['a', 'b', 'c']],
  ['ckpt.ckptFiles', '', []],
  ['security.idp.adminGroups', 'admin,root', ['admin', 'root']],
  ['job.customTags', 'owner:me,team:a:b', { owner: 'me', team: 'a:b' }],
  ['job.customTags', 'empty:', { empty: '' }],
  ['job.customTags', 'constructor:x', { constructor: 'x' }],
  ['job.customTags', '', {}],
  ['job.diskType', 'sc1', 'sc1'],
  ['job.retentionPolicy', 'time', 'time'],
  ['ckpt.ckptMode', 'iterative', 'iterative'],
  ['ckpt.ckptImagePath', '/mnt/a b', '/mnt/a b'],
  ['security.idp.clientID', '', ''],
];

for (const [path, text, shown] of GOOD_TEXTS) {
  test(`${path} takes ${JSON.stringify(text)}`, () => {
    assert.deepEqual(readConfigText(field(path), text), { ok: true, value: shown });
  });
}

const BAD_TEXTS: readonly (readonly [string, string, RegExp])[] = [
  ['addr', 'https://10.0.0.1', /scheme:\/\/host:port/],
  ['addr', 'localhost:80', /scheme:\/\/host:port/],
  ['addr', '', /scheme:\/\/host:port/],
  ['log.file', 'relative.log', /absolute path that ends in \.log/],
  ['log.file', '/var/log/x.txt', /absolute path/],
  ['log.file', '/var/log/.log', /absolute path/],
  ['log.file', '/var/log/a\0.log', /control character/],
  ['log.file', `/${'x'.repeat(4096)}.log`, /longer than 4096/],
  ['log.level', 'verbose', /not one of trace, debug/],
  ['log.level', '', /not one of/],
  ['log.maxSizeMB', '0', /out of range: want 1 to 10240 MB/],
  ['log.maxSizeMB', '10241', /out of range/],
  ['log.maxSizeMB', '1.5', /whole number/],
  ['log.maxSizeMB', '1e3', /whole number/],
  ['log.maxSizeMB', '0x10', /whole number/],
  ['log.maxSizeMB', ' 5', /whole number/],
  ['log.maxSizeMB', '', /whole number/],
  ['log.maxBackups', '-1', /out of range/],
  ['ckpt.tcpClose', 'yes', /neither true nor false/],
  ['ckpt.tcpClose', 'TRUE', /neither/],
  ['ckpt.tcpClose', '', /neither/],
  ['node.ttl', '5', /not a duration/],
  ['node.ttl', '0s', /not above zero/],
  ['node.ttl', '-5m', /not above zero/],
  ['node.ttl', '', /not a duration/],
  ['node.ttl', '1constructor', /not a duration/],
  ['ckpt.ckptFiles', 'a,,b', /empty entry/],
  ['ckpt.ckptFiles', 'a,', /empty entry/],
  ['ckpt.ckptFiles', ' ', /empty entry/],
  ['ckpt.ckptFiles', 'x'.repeat(1_025), /over 1024/],
  ['ckpt.ckptFiles', new Array(257).fill('a').join(','), /more than 256/],
  ['job.customTags', 'owner', /without a colon/],
  ['job.customTags', 'a:1,', /without a colon/],
  ['job.customTags', ':me', /without a key/],
  ['job.customTags', 'a:1,a:2', /same key twice/],
  ['job.customTags', '__proto__:1', /not allowed/],
  ['job.customTags', `a:${'x'.repeat(1_024)}`, /over 1024/],
  ['job.diskType', 'floppy', /not one of gp2/],
  ['job.retentionPolicy', 'memory', /not supported yet/],
  ['job.retentionPolicy', 'constructor', /not one of time/],
  ['ckpt.ckptMode', 'always', /not one of iterative, none, unknown/],
  ['job.volMountPath', 'mnt', /absolute path/],
  ['security.idp.clientID', 'x'.repeat(129), /longer than 128/],
  ['security.idp.clientID', 'x'.repeat(70_000), /longer than 65536/],
];

for (const [path, text, reason] of BAD_TEXTS) {
  test(`${path} refuses ${JSON.stringify(text.slice(0, 40))}`, () => {
    const result = readConfigText(field(path), text);
    assert.ok(!result.ok);
    assert.match(result.reason, reason);
  });
}

test('the JSON form is natively typed: durations as text or as whole nanoseconds, null where a list may be null', () => {
  const good: readonly (readonly [string, unknown, unknown])[] = [
    ['ckpt.ckptInterval', 900_000_000_000, '15m0s'],
    ['ckpt.ckptInterval', '15m', '15m0s'],
    // 18000h are beyond 2^53 nanoseconds.
    ['job.failureTTL', 64_800_000_000_000_000, '18000h0m0s'],
    ['ckpt.ckptFiles', null, null],
    ['ckpt.ckptFiles', ['a'], ['a']],
    ['ckpt.tcpClose', true, true],
    ['log.maxSizeMB', 20, 20],
    ['job.customTags', { a: 'b' }, { a: 'b' }],
  ];
  for (const [path, json, shown] of good)
    assert.deepEqual(readConfigJson(field(path), json), { ok: true, value: shown });
  const bad: readonly (readonly [string, unknown])[] = [
    ['ckpt.ckptInterval', 1.5],
    ['ckpt.ckptInterval', 0],
    ['ckpt.ckptInterval', -5],
    ['ckpt.ckptInterval', 2 ** 63],
    ['ckpt.ckptInterval', Number.NaN],
    ['ckpt.ckptInterval', null],
    ['ckpt.tcpClose', 'true'],
    ['ckpt.tcpClose', 1],
    ['log.maxSizeMB', '20'],
    ['log.maxSizeMB', 20.5],
    ['log.level', 3],
    ['log.file', null],
    ['addr', 8080],
    ['security.idp.adminGroups', null],
    ['ckpt.ckptFiles', 'a,b'],
    ['ckpt.ckptFiles', [1]],
    ['job.customTags', [['a', 'b']]],
    ['job.customTags', { a: 1 }],
    ['job.customTags', null],
  ];
  for (const [path, json] of bad) assert.equal(readConfigJson(field(path), json).ok, false, `${path} ${String(json)}`);
});

test('every default is a value of its own field, but for those that are made at the first start', () => {
  for (const declared of CONFIG_FIELDS) {
    if (typeof declared.default === 'string' && declared.default.startsWith('<')) continue;
    assert.deepEqual(readConfigJson(declared, declared.default), { ok: true, value: declared.default }, declared.path);
  }
});

test('no text and no JSON value makes a reader throw, and what is read is read again as itself', () => {
  fc.assert(
    fc.property(fc.constantFrom(...CONFIG_FIELDS), fc.oneof(fc.string(), fc.jsonValue()), (declared, value) => {
      if (typeof value === 'string') readConfigText(declared, value);
      const result = readConfigJson(declared, value);
      if (result.ok) assert.deepEqual(readConfigJson(declared, result.value), result);
    }),
    { numRuns: 500 },
  );
});
