/**
 * The law of liveness over any schedule of stalls: a node that beats as it was told is never lost, a silent one always is.
 * One node's behaviour under the stall-aware clock of its shard; when a stall ends, timers run before sockets are read.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nodeBehaviour } from '../../src/actors/node/behaviour.ts';
import { HeartbeatCheckpointer } from '../../src/actors/node/heartbeat-checkpointer.ts';
import { type LivenessTimes, retimed } from '../../src/actors/node/liveness.ts';
import { LivenessClock } from '../../src/actors/node/liveness-clock.ts';
import type { NodeMessage } from '../../src/actors/node/messages.ts';
import { SilenceHistogram } from '../../src/actors/node/silence-histogram.ts';
import type { NodeEnv, NodeState } from '../../src/actors/node/state.ts';
import { ManualClock } from '../../src/base/clock.ts';
import { STALL_MS, StallAwareClock, TICK_MS } from '../../src/base/stall-aware-clock.ts';
import { factsOf } from '../../src/protocol/node.ts';
import { MemoryStore } from '../../src/store/kv/memory-store.ts';
import fc from '../support/laws/fast-check.ts';

class OneNode {
  readonly base = new ManualClock();
  readonly clock = new StallAwareClock(this.base);
  readonly #livenessClock = new LivenessClock();
  readonly #store = new MemoryStore();
  #env: NodeEnv;
  #state: NodeState;
  #timerAtMs: number | null = null;
  nextBeatMs = 0;
  isLost = false;

  constructor(times: LivenessTimes) {
    this.#env = {
      times,
      configVersion: 1,
      intervalMultiplier: () => 1,
      livenessClock: this.#livenessClock,
      checkpointer: new HeartbeatCheckpointer<NodeState>(0, []),
      storedBeat: () => 0,
      histogram: new SilenceHistogram(),
      massSilence: () => ({ running: 1, silent: 1 }),
      takeSeries: () => true,
    };
    this.#state = nodeBehaviour.hydrate('n', this.#store, this.clock.now(), this.#env);
    this.handle({ type: 'register', facts: factsOf('n', {}) });
  }

  handle(message: NodeMessage): void {
    const now = this.clock.now();
    const step = nodeBehaviour.receive(this.#state, message, now, this.#env);
    this.#state = step.state;
    if (step.timerMs !== undefined) this.#timerAtMs = step.timerMs === null ? null : now.monotonicMs + step.timerMs;
    if (message.type === 'beat' || message.type === 'register')
      this.nextBeatMs = (step.reply as { nextBeatMs: number }).nextBeatMs;
    if (step.signals?.some(({ type }) => type === 'node.lost')) this.isLost = true;
  }

  tick(): void {
    const nowMs = this.clock.monotonicMs();
    if (this.#timerAtMs === null || nowMs < this.#timerAtMs) return;
    this.#timerAtMs = null;
    this.handle({ type: 'timer' });
  }

  retime(times: LivenessTimes): void {
    const nowMs = this.#livenessClock.timeAt(this.clock.monotonicMs());
    this.#env = { ...this.#env, times: retimed(this.#env.times, times, 1, nowMs) };
    this.handle({ type: 'retime' });
  }
}

const times: fc.Arbitrary<LivenessTimes> = fc
  .record({ heartbeatMs: fc.integer({ min: 200, max: 5_000 }), factor: fc.double({ min: 2, max: 10, noNaN: true }) })
  .map(({ heartbeatMs, factor }) => ({ heartbeatMs, ttlMs: Math.ceil(heartbeatMs * factor) }));

interface Stall {
  readonly afterMs: number;
  readonly forMs: number;
}

const stalls: fc.Arbitrary<readonly Stall[]> = fc.array(
  fc.record({ afterMs: fc.integer({ min: 0, max: 6_000 }), forMs: fc.integer({ min: 1, max: 60_000 }) }),
  { maxLength: 8 },
);

/**
 * Time goes on in ticks; in a stall nothing runs. Beats are sent as told, whatever the server does, and wait in a socket.
 * The node's interval counts from when it sent, and a beat that is not answered is followed by the next all the same.
 */
function beatThrough(node: OneNode, schedule: readonly Stall[], untilMs: number, onTick: () => void = () => {}): void {
  let sendAtMs = node.base.monotonicMs() + node.nextBeatMs;
  let stallAtMs = 0;
  const left = [...schedule];
  const plan = (): void => {
    stallAtMs = node.base.monotonicMs() + (left[0]?.afterMs ?? Number.POSITIVE_INFINITY);
  };
  plan();
  while (node.base.monotonicMs() < untilMs || left.length > 0) {
    if (node.base.monotonicMs() >= stallAtMs) {
      node.base.advance((left.shift() as Stall).forMs);
      plan();
    } else node.base.advance(TICK_MS);
    node.tick();
    onTick();
    while (sendAtMs <= node.base.monotonicMs()) {
      node.handle({ type: 'beat', samples: [] });
      sendAtMs += node.nextBeatMs;
    }
  }
}

test('a node that beats as it was told is never lost, whatever stalls the server', () => {
  fc.assert(
    fc.property(times, stalls, (chosen, schedule) => {
      const node = new OneNode(chosen);
      beatThrough(node, schedule, 40_000);
      assert.equal(node.isLost, false);
    }),
    { numRuns: 60 },
  );
});

test('a node that beats as it was told is not lost by a change of times, whatever stalls the server', () => {
  fc.assert(
    fc.property(times, times, times, stalls, (first, second, third, schedule) => {
      const node = new OneNode(first);
      let ticks = 0;
      beatThrough(node, schedule, 40_000, () => {
        ticks++;
        if (ticks === 100) node.retime(second);
        if (ticks === 180) node.retime(third);
      });
      assert.equal(node.isLost, false);
    }),
    { numRuns: 60 },
  );
});

test('a silent node is lost after its TTL of time in which the server listened, and at most a second more', () => {
  fc.assert(
    fc.property(times, stalls, (chosen, schedule) => {
      const node = new OneNode(chosen);
      const left = [...schedule];
      let listenedMs = 0;
      let sinceStallMs = 0;
      while (!node.isLost) {
        const stall = left[0];
        const passMs = stall && sinceStallMs >= stall.afterMs ? stall.forMs : TICK_MS;
        if (passMs === stall?.forMs) left.shift();
        sinceStallMs = passMs === TICK_MS ? sinceStallMs + TICK_MS : 0;
        // A short gap is no stall: it counts as time.
        if (passMs <= STALL_MS) listenedMs += passMs;
        node.base.advance(passMs);
        node.tick();
        assert.ok(listenedMs <= chosen.ttlMs + 1_000, 'it is still not lost');
      }
      assert.ok(listenedMs > chosen.ttlMs, `it was lost after ${listenedMs} ms`);
    }),
    { numRuns: 60 },
  );
});
