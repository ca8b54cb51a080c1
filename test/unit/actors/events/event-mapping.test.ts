import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configChanged, publicEventOf } from '../../../../src/actors/events/event-mapping.ts';
import { EVENT_TYPES } from '../../../../src/protocol/event.ts';
import { decodeEvent, encodeEvent } from '../../../../src/store/commit/event-log.ts';

const NOW_MS = Date.UTC(2026, 10, 1, 10, 0, 0, 7);
const TIME = '2026-11-01T10:00:00.007Z';
const EVENT = { timestamp: '2026-11-01T09:59:59.123456789Z', eventType: 'Job-Running' };

const SIGNALS = [
  ...['node.registered', 'node.late', 'node.lost', 'node.alive', 'node.deregistered'].map((type) => ({
    signal: { type, node: 'n-1' },
    data: { time: TIME, node: 'n-1' },
  })),
  {
    signal: { type: 'node.drained', node: 'n-1', drained: false },
    data: { time: TIME, node: 'n-1', drained: false },
  },
  {
    signal: { type: 'node.interruption', node: 'n-1', interruption: { action: 'stop', time: TIME } },
    data: { time: TIME, node: 'n-1', interruption: { action: 'stop', time: TIME } },
  },
  {
    signal: { type: 'job.event', job: 'j-1', queue: 'q', nodeOid: 'i-1', event: EVENT },
    data: { time: TIME, job: 'j-1', queue: 'q', nodeOid: 'i-1', event: EVENT },
  },
  {
    signal: { type: 'job.event', job: 'j-1', queue: 'q', nodeOid: null, event: EVENT },
    data: { time: TIME, job: 'j-1', queue: 'q', event: EVENT },
  },
  { signal: { type: 'job.removed', job: 'j-1', queue: 'q' }, data: { time: TIME, job: 'j-1', queue: 'q' } },
];

for (const { signal, data } of SIGNALS) {
  test(`${signal.type} is told with ${Object.keys(data).join(', ')}, and survives the disk`, () => {
    const event = publicEventOf(signal, NOW_MS);
    assert.equal(event?.type, signal.type);
    assert.deepEqual(JSON.parse(event?.json ?? ''), data);
    assert.deepEqual(event && decodeEvent(encodeEvent(event)), event);
  });
}

test('what only the log hears of is no public event', () => {
  assert.equal(publicEventOf({ type: 'node.held' }, NOW_MS), null);
  assert.equal(publicEventOf({ type: 'something else' }, NOW_MS), null);
});

test('a change of the configuration tells keys and version', () => {
  const event = configChanged(['node.ttl'], 7, NOW_MS);
  assert.deepEqual(JSON.parse(event.json), { time: TIME, keys: ['node.ttl'], configVersion: 7 });
});

test('every event of the contract is made from a signal or a change', () => {
  const made = [...SIGNALS.map(({ signal }) => signal.type), 'config.changed'];
  assert.deepEqual([...new Set(made)].sort(), [...EVENT_TYPES].sort());
});
