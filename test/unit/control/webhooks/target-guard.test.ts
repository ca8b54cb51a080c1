import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultOfHost, isGlobalAddress } from '../../../../src/control/webhooks/target-guard.ts';

const SPECIAL = [
  ...['0.0.0.0', '10.1.2.3', '100.64.0.1', '127.0.0.1', '127.9.9.9', '168.63.129.16', '169.254.169.254'],
  ...[
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.8',
    '192.0.0.11',
    '192.0.0.170',
    '192.0.2.1',
    '192.88.99.1',
    '192.168.1.1',
    '198.18.0.1',
    '198.19.255.255',
  ],
  ...['198.51.100.1', '203.0.113.1', '224.0.0.1', '240.0.0.1', '255.255.255.255'],
  ...[
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    '64:ff9b::7f00:1',
    '100::1',
    '2001::1',
    '2001:1::4',
    '2001:2::1',
    '2001:10::1',
    '2001:db8::1',
    '2002:7f00:1::',
  ],
  ...['3fff::1', 'fc00::1', 'fd00:ec2::254', 'fe80::1', 'fe80::1%eth0', 'ff02::1', '5f00::1', 'nonsense', ''],
];
const GLOBAL = [
  '8.8.8.8',
  '1.1.1.1',
  '172.15.255.255',
  '172.32.0.1',
  '100.63.255.255',
  '168.63.129.17',
  '223.255.255.255',
  '2606:4700::1111',
  '2a00:1450::1',
  // Listed as special-purpose, and as globally reachable.
  ...['192.0.0.9', '192.0.0.10', '192.31.196.1', '192.52.193.1', '192.175.48.1'],
  ...['2001:1::1', '2001:1::3', '2001:3::1', '2001:4:112::1', '2001:20::1', '2001:30::1', '2620:4f:8000::1'],
];

test('what is not globally reachable is refused, what is, is not', () => {
  for (const address of SPECIAL) assert.equal(isGlobalAddress(address), false, address);
  for (const address of GLOBAL) assert.equal(isGlobalAddress(address), true, address);
});

test('a URL that shows its target is judged by it, in any writing', () => {
  const hidden = [
    'http://2130706433/',
    'http://0x7f.1/',
    'http://0177.0.0.1/',
    'http://127.1/',
    'http://[::1]/',
    'http://[::ffff:7f00:1]/',
  ];
  const names = [
    'http://localhost/',
    'http://LOCALHOST./',
    'http://a.localhost/',
    'http://metadata.google.internal/',
    'http://printer.local/',
  ];
  for (const url of [...hidden, ...names, 'https://169.254.169.254/latest'])
    assert.match(faultOfHost(url) ?? 'allowed', /not reachable from everywhere/, url);
  for (const url of [
    'https://example.com/hook',
    'http://8.8.8.8/',
    'https://localhost.example.com/',
    'https://[2606:4700::1111]/',
  ])
    assert.equal(faultOfHost(url), undefined, url);
});
