import assert from 'node:assert/strict';
import { test } from 'node:test';
import { metricsBetween, type Reading } from '../../../../agent/host/meter.ts';

const MB = 1_048_576;

const reading = (changes: Partial<Reading> = {}): Reading => ({
  atMs: 10_000,
  cpu: { busy: 100, total: 1_000 },
  memoryUsedBytes: 512 * MB,
  disk: { usedBytes: 10 * MB, totalBytes: 100 * MB },
  network: new Map([['eth0', { received: 1_000_000, sent: 2_000_000 }]]),
  loadAverage1m: 0.5,
  ...changes,
});

test('two readings give every metric of a heartbeat', () => {
  const after = reading({
    atMs: 20_000,
    cpu: { busy: 350, total: 2_000 },
    network: new Map([['eth0', { received: 1_000_000 + 102_400, sent: 2_000_000 + 51_200 }]]),
  });
  assert.deepEqual(metricsBetween(reading(), after), {
    cpuPercent: 25,
    memoryUsedMB: 512,
    diskUsedMB: 10,
    diskTotalMB: 100,
    networkReceivedKBps: 10,
    networkSentKBps: 5,
    loadAverage1m: 0.5,
  });
});

test('without an earlier reading the rates are left out, not zero', () => {
  assert.deepEqual(Object.keys(metricsBetween(null, reading())), [
    'memoryUsedMB',
    'diskUsedMB',
    'diskTotalMB',
    'loadAverage1m',
  ]);
});

test('what the machine does not tell is left out', () => {
  const bare = reading({ cpu: null, memoryUsedBytes: null, disk: null, network: null, loadAverage1m: null });
  assert.deepEqual(metricsBetween(bare, bare), {});
});

test('the processor share stays between 0 and 100, and is left out where no time has passed', () => {
  const share = (busy: number, total: number): number | undefined =>
    metricsBetween(reading(), reading({ cpu: { busy, total } }))['cpuPercent'];
  assert.equal(share(90, 1_100), 0);
  assert.equal(share(300, 1_100), 100);
  assert.equal(share(100, 1_000), undefined);
  assert.equal(share(100, 900), undefined);
});

test('an interface that came, went or was reset does not count', () => {
  const before = reading({
    network: new Map([
      ['eth0', { received: 0, sent: 0 }],
      ['eth1', { received: 9_000_000, sent: 9_000_000 }],
      ['gone', { received: 5_000_000, sent: 5_000_000 }],
    ]),
  });
  const after = reading({
    atMs: 11_000,
    network: new Map([
      ['eth0', { received: 1_024, sent: 2_048 }],
      ['eth1', { received: 10, sent: 10 }],
      ['new', { received: 7_000_000, sent: 7_000_000 }],
    ]),
  });
  const { networkReceivedKBps, networkSentKBps } = metricsBetween(before, after);
  assert.deepEqual([networkReceivedKBps, networkSentKBps], [1, 2]);
});

test('two readings at the same moment make no rate', () => {
  assert.equal('networkSentKBps' in metricsBetween(reading(), reading()), false);
});
