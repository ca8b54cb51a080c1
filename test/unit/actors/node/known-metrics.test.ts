import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nodeBehaviour } from '../../../../src/actors/node/behaviour.ts';
import type { Beat } from '../../../../src/actors/node/messages.ts';
import type { NodeEnv, NodeState } from '../../../../src/actors/node/state.ts';
import type { Now } from '../../../../src/base/clock.ts';
import { factsOf } from '../../../../src/protocol/node.ts';
import { MemoryStore } from '../../../../src/store/kv/memory-store.ts';
import { WriteBatch } from '../../../../src/store/kv/write-batch.ts';
import { SERIES_LEASE_MS, seriesKey, type seriesRows } from '../../../../src/store/series/series-index.ts';
import { nodeEnv } from '../../../support/node-world.ts';
import { writeAll } from '../../../support/write-all.ts';

const BEAT: Beat = { type: 'beat', samples: [['cpuPercent', 0, 0, 1]] };

function at(wallMs: number): Now {
  return { monotonicMs: wallMs, wallMs };
}

function node(): { state: NodeState; store: MemoryStore; env: NodeEnv; added: number; hasRoom: boolean } {
  const made = { added: 0, hasRoom: true };
  const env = nodeEnv({
    times: { heartbeatMs: 1e12, ttlMs: 1e13 },
    takeSeries: (_objectId, metrics) => {
      if (made.hasRoom) made.added += metrics.length;
      return made.hasRoom;
    },
  });
  const store = new MemoryStore();
  const state = nodeBehaviour.hydrate('n', store, at(0), env);
  nodeBehaviour.receive(state, { type: 'register', facts: factsOf('n', {}) }, at(0), env);
  return Object.assign(made, { state, store, env });
}

/** The usual way of a beat; the tables that it writes. */
function beat({ state, store, env }: ReturnType<typeof node>, wallMs: number): string[] {
  const prepared = nodeBehaviour.prepare?.(state, BEAT, store, at(wallMs)) ?? BEAT;
  const { writes = [] } = nodeBehaviour.receive(state, prepared, at(wallMs), env);
  writeAll(store, writes as ReturnType<typeof seriesRows>);
  return writes.map(({ table }) => table);
}

test('a metric that is known costs no look at the store, until its lease is over', () => {
  const made = node();
  const { state, store, env } = made;
  assert.equal(nodeBehaviour.fastPath?.(state, BEAT, at(0), env), undefined);
  assert.deepEqual(beat(made, 0), ['series']);
  assert.notEqual(nodeBehaviour.fastPath?.(state, BEAT, at(SERIES_LEASE_MS / 2 - 1), env), undefined);
  assert.equal(nodeBehaviour.fastPath?.(state, BEAT, at(SERIES_LEASE_MS), env), undefined, 'it must look again');
  assert.deepEqual(beat(made, SERIES_LEASE_MS), [], 'the row is there');
  assert.notEqual(nodeBehaviour.fastPath?.(state, BEAT, at(SERIES_LEASE_MS), env), undefined);
  store.commit([removal()]);
  assert.deepEqual(beat(made, SERIES_LEASE_MS + 1), [], 'it is remembered');
  assert.deepEqual(beat(made, 2 * SERIES_LEASE_MS), ['series'], 'what was removed is written again');
  assert.equal(made.added, 2);
});

test('a beat for whose new series there is no room is refused whole, and looked at again when it comes again', () => {
  const made = node();
  made.hasRoom = false;
  for (let i = 0; i < 2; i++) {
    const prepared = nodeBehaviour.prepare?.(made.state, BEAT, made.store, at(i)) ?? BEAT;
    const step = nodeBehaviour.receive(made.state, prepared, at(i), made.env);
    assert.deepEqual([step.refuse?.name, step.writes, step.deliver], ['overloaded', undefined, undefined]);
  }
  made.hasRoom = true;
  assert.deepEqual(beat(made, 2), ['series']);
  assert.equal(made.added, 1);
});

test('after the clock was set back nothing is taken as known', () => {
  const made = node();
  beat(made, 10 * SERIES_LEASE_MS);
  assert.equal(nodeBehaviour.fastPath?.(made.state, BEAT, at(9 * SERIES_LEASE_MS), made.env), undefined);
});

function removal(): Uint8Array {
  const batch = new WriteBatch();
  batch.remove('series', seriesKey('node-n', 'cpuPercent'));
  return batch.seal();
}
