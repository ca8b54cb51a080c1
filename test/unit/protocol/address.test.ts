import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatAddress, isWildcard, type ServerAddress, tryParseAddress } from '../../../src/protocol/address.ts';

const READABLE: readonly (readonly [string, ServerAddress, string])[] = [
  ['https://0.0.0.0:443', { scheme: 'https', host: '0.0.0.0', port: 443 }, 'https://0.0.0.0:443'],
  ['http://127.0.0.1:8080', { scheme: 'http', host: '127.0.0.1', port: 8080 }, 'http://127.0.0.1:8080'],
  ['http://localhost:1', { scheme: 'http', host: 'localhost', port: 1 }, 'http://localhost:1'],
  ['https://[::1]:65535', { scheme: 'https', host: '::1', port: 65_535 }, 'https://[::1]:65535'],
  ['https://[2001:db8::17]:443', { scheme: 'https', host: '2001:db8::17', port: 443 }, 'https://[2001:db8::17]:443'],
  ['http://[::ffff:10.0.0.1]:80', { scheme: 'http', host: '::ffff:10.0.0.1', port: 80 }, 'http://[::ffff:10.0.0.1]:80'],
  ['http://10.1.2.3:80/', { scheme: 'http', host: '10.1.2.3', port: 80 }, 'http://10.1.2.3:80'],
];

for (const [text, address, printed] of READABLE) {
  test(`${text} is an address`, () => {
    assert.deepEqual(tryParseAddress(text), address);
    assert.equal(formatAddress(address), printed);
    assert.deepEqual(tryParseAddress(printed), address);
  });
}

for (const text of [
  '',
  '10.0.0.1:443',
  'ftp://10.0.0.1:21',
  'https://',
  'https://:443',
  'https://10.0.0.1',
  'http://[::1]',
  'https://10.0.0.1:',
  'https://10.0.0.1:65536',
  'https://10.0.0.1:0',
  'https://10.0.0.1:-1',
  'https://10.0.0.1:443/path',
  'https://10.0.0:443',
  'https://256.0.0.1:443',
  'https://example.org:443',
  'https://::1:443',
  'https://[::1',
  'https://[::g]:443',
  'https://[10.0.0.1]:443',
  'https://user@10.0.0.1:443',
  'HTTPS://10.0.0.1:443',
  ' https://10.0.0.1:443',
  'https://10.0.0.1:443\n',
]) {
  test(`${JSON.stringify(text)} is no address`, () => {
    assert.equal(tryParseAddress(text), undefined);
  });
}

test('port 0 is read only where it is asked for', () => {
  assert.deepEqual(tryParseAddress('http://127.0.0.1:0', { allowPortZero: true }), {
    scheme: 'http',
    host: '127.0.0.1',
    port: 0,
  });
});

test('a wildcard is known in every spelling, and nothing else is one', () => {
  for (const host of ['0.0.0.0', '::', '0::0', '0:0:0:0:0:0:0:0', '::ffff:0.0.0.0', '::0.0.0.0'])
    assert.equal(isWildcard({ host }), true, host);
  for (const host of ['10.0.0.0', 'localhost', '::1', '::ffff:10.0.0.1', '2001:db8::'])
    assert.equal(isWildcard({ host }), false, host);
});
