import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressesOf } from '../../../../agent/host/host-facts.ts';

const info = (address: string, internal = false): { address: string; family: 'IPv4' | 'IPv6'; internal: boolean } => ({
  address,
  family: address.includes(':') ? 'IPv6' : 'IPv4',
  internal,
});

test('addresses are those that others may reach, IPv4 first, each once', () => {
  const infos = [info('127.0.0.1', true), info('fe80::1'), info('10.0.0.5'), info('10.0.0.5'), info('::1', true)];
  assert.deepEqual(addressesOf(infos), ['10.0.0.5', 'fe80::1']);
});

test('loopback is told only where there is nothing else', () => {
  assert.deepEqual(addressesOf([info('::1', true), info('127.0.0.1', true)]), ['127.0.0.1', '::1']);
  assert.deepEqual(addressesOf([]), []);
});

test('a node has at most 64 addresses', () => {
  const infos = Array.from({ length: 100 }, (_, i) => info(`10.0.1.${i}`));
  assert.deepEqual(
    addressesOf(infos),
    infos.slice(0, 64).map(({ address }) => address),
  );
});
