import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Sample } from '../../../../../src/actors/aggregator/messages.ts';
import type { OutgoingMessage } from '../../../../../src/actors/runtime/behaviour.ts';
import type { Waiter } from '../../../../../src/actors/runtime/outbox.ts';
import type { ActorSystem } from '../../../../../src/actors/runtime/system.ts';
import { GATHER_MS, REST_MAX_MS } from '../../../../../src/actors/shard/host/expected-calls.ts';
import {
  HeartbeatDispatcher,
  SAMPLES_WAITING_MAX,
  WAITING_MAX,
} from '../../../../../src/actors/shard/host/heartbeat-dispatcher.ts';
import { nodeShardOf } from '../../../../../src/actors/shard/wire/placement.ts';
import { ManualClock } from '../../../../../src/base/clock.ts';
import { type Failure, UNCONFIRMED } from '../../../../../src/base/errors.ts';
import { MemoryStore } from '../../../../../src/store/kv/memory-store.ts';

const SAMPLE: readonly Sample[] = [['cpuPercent', 1_000, 0, 7]];

/** A shard whose nodes are all well; what is handed on waits for the test to make it durable. */
class World {
  readonly clock = new ManualClock();
  readonly commits: { readonly outgoing: readonly OutgoingMessage[]; readonly done: Waiter }[] = [];
  readonly timers: (() => void)[] = [];
  wakes = 0;
  refuses = false;
  refusals = 0;
  readonly beats: HeartbeatDispatcher;

  /** With two shards the other one is away. */
  constructor(shardCount = 1) {
    const system = {
      isFull: false,
      fastPath: () => 30_000,
      note: () => {},
      persist: (_: readonly never[], outgoing: readonly OutgoingMessage[], done: Waiter) => {
        if (this.refuses) return false;
        this.commits.push({ outgoing, done });
        return true;
      },
    };
    this.beats = new HeartbeatDispatcher({
      index: 0,
      shardCount,
      clock: this.clock,
      reader: new MemoryStore(),
      system: system as unknown as ActorSystem<never>,
      peer: () => undefined,
      wake: () => void this.wakes++,
      after: (_, run) => void this.timers.push(run),
      refusedBeat: () => void this.refusals++,
      idleBeatMs: () => 30_000,
    });
  }

  beat(answers: (Failure | null)[] = []): void {
    this.beats.one('n', SAMPLE, (failure) => answers.push(failure));
  }
}

test('beats with samples are answered when they are durable, and count as waitingCalls only until then', () => {
  const world = new World();
  const answers: (Failure | null)[] = [];
  for (let i = 0; i < 3; i++) world.beat(answers);
  assert.equal(world.beats.waitingCalls, 3);
  world.beats.flush();
  assert.equal(world.commits.length, 1, 'one commit for all of them');
  assert.equal(world.beats.waitingCalls, 3);
  assert.deepEqual(answers, []);
  world.commits[0]?.done(null);
  assert.deepEqual(answers, [null, null, null]);
  assert.equal(world.beats.waitingCalls, 0);
});

test('nothing is left waitingCalls after a failed commit or a refused one, and both excuse time', () => {
  const world = new World();
  const answers: (Failure | null)[] = [];
  world.beat(answers);
  world.beats.flush(true);
  world.commits[0]?.done({ name: 'storageFull' });
  world.refuses = true;
  world.beat(answers);
  world.beats.flush(true);
  assert.deepEqual(answers, [{ name: 'storageFull' }, { name: 'overloaded' }]);
  assert.equal(world.beats.waitingCalls, 0);
  assert.equal(world.refusals, 2);
});

test('beats are gathered while a flush is in flight and for a moment after it, and then have their time', () => {
  const world = new World();
  world.beat();
  world.beats.flush();
  world.beat();
  world.clock.advance(10 * GATHER_MS);
  world.beats.flush();
  assert.equal(world.commits.length, 1, 'the first is not durable yet');
  const wakes = world.wakes;
  world.commits[0]?.done(null);
  assert.equal(world.wakes, wakes + 1, 'who waits is not forgotten');
  world.beats.flush();
  assert.equal(world.commits.length, 1, 'those who were just answered may send again');
  assert.equal(world.timers.length, 1);
  world.clock.advance(REST_MAX_MS);
  world.timers[0]?.();
  world.beats.flush();
  assert.equal(world.commits.length, 2);
});

test('when all who were answered, or waited meanwhile, wait again, nobody else is waited for', () => {
  const world = new World();
  world.beat();
  world.beat();
  world.beats.flush();
  world.beat();
  world.clock.advance(GATHER_MS);
  world.commits[0]?.done(null);
  world.beat();
  world.beats.flush();
  assert.equal(world.commits.length, 1, 'one of the two who were answered is missing');
  const wakes = world.wakes;
  world.beat();
  assert.equal(world.wakes, wakes + 1, 'the last one asks for the turn');
  world.beats.flush();
  assert.equal(world.commits.length, 2);
});

test('the time of a flush asks for a turn only where somebody waits for it', () => {
  const world = new World();
  const over = (): number => {
    const before = world.wakes;
    world.timers.shift()?.();
    return world.wakes - before;
  };
  world.beat();
  world.beat();
  world.beats.flush();
  world.commits[0]?.done(null);
  world.beat();
  world.beats.flush();
  world.beat();
  world.beats.flush();
  assert.equal(world.commits.length, 2, 'all came before the time');
  assert.equal(over(), 0, 'nobody waits');
  world.beat();
  world.commits[1]?.done(null);
  world.beats.flush();
  assert.equal(over(), 1, 'somebody waits, for nothing else');
});

test('one client that waits for each answer is never made to wait for another', () => {
  const world = new World();
  for (let i = 0; i < 3; i++) {
    world.beat();
    world.beats.flush();
    assert.equal(world.commits.length, i + 1);
    world.clock.advance(GATHER_MS);
    world.commits[i]?.done(null);
  }
  assert.equal(world.timers.length, 0);
});

test('a beat that comes a while after the last flush is handed on at once', () => {
  const world = new World();
  world.beat();
  world.beats.flush();
  world.commits[0]?.done(null);
  world.clock.advance(GATHER_MS);
  world.beat();
  world.beats.flush();
  assert.equal(world.commits.length, 2);
  assert.equal(world.timers.length, 0);
});

test('the end waits for nothing', () => {
  const world = new World();
  world.beat();
  world.beats.flush();
  world.beat();
  world.beats.flush(true);
  assert.equal(world.commits.length, 2);
});

test('what waits for a flush is bounded: beyond it the beats are handed on at once', () => {
  const world = new World();
  world.beat();
  world.beats.flush();
  const batch = Array.from({ length: WAITING_MAX }, () => ({ id: 'n', samples: SAMPLE }));
  world.beats.many(batch, () => {});
  assert.equal(world.commits.length, 2, 'without waiting for its turn');
  for (const { done } of world.commits) done(null);
  assert.equal(world.beats.waitingCalls, 0);
});

test('a batch of which samples are stored is not refused as a whole; one of which nothing is stored is', () => {
  const ids = Array.from({ length: 50 }, (_, i) => `n-${i}`);
  const [here, there] = [0, 1].map((shard) => ids.find((id) => nodeShardOf(id, 2) === shard) as string);
  const failureOf = (samples: readonly Sample[], stored: Failure | null): string | undefined => {
    const world = new World(2);
    let told: Failure | null = null;
    world.beats.many(
      [here, there].map((id) => ({ id: id as string, samples })),
      (failure) => {
        told = failure;
      },
    );
    world.beats.flush(true);
    world.commits[0]?.done(stored);
    return (told as Failure | null)?.name;
  };
  assert.equal(failureOf(SAMPLE, null), 'outcomeUnknown');
  assert.equal(failureOf(SAMPLE, UNCONFIRMED), 'outcomeUnknown');
  assert.equal(failureOf(SAMPLE, { name: 'overloaded' }), 'overloaded');
  assert.equal(failureOf([], null), 'overloaded', 'a beat that is in memory only is the same when it comes again');
});

test('a part of a call counts as none, and the other calls of its flush do', () => {
  const world = new World();
  world.beats.many([{ id: 'n', samples: SAMPLE }], () => {}, true);
  assert.equal(world.beats.waitingCalls, 0);
  world.beats.many([{ id: 'n', samples: SAMPLE }], () => {});
  world.beats.flush();
  assert.equal(world.beats.waitingCalls, 1);
  world.commits[0]?.done(null);
  assert.equal(world.beats.waitingCalls, 0);
});

test('no more samples wait for one flush than a turn can pack, whatever is in flight', () => {
  const world = new World();
  world.beat();
  world.beats.flush(true);
  const samples: Sample[] = Array.from({ length: 64 }, () => SAMPLE[0] as Sample);
  const beats = SAMPLES_WAITING_MAX / 64;
  for (let i = 0; i < beats - 1; i++) world.beats.one('n', samples, () => {});
  assert.equal(world.commits.length, 1);
  world.beats.one('n', samples, () => {});
  assert.equal(world.commits.length, 2, 'handed on, while the first is not durable');
  world.beats.one('n', samples, () => {});
  assert.equal(world.commits.length, 2, 'and the next are gathered again');
});

test('a call that waits for the disk keeps none of its beats in memory', async () => {
  const world = new World();
  const answers: (Failure | null)[] = [];
  const beats = new WeakRef(takenBeats(world, answers));
  world.beats.flush();
  // A WeakRef holds its target until the end of the turn that made it.
  await new Promise((resolve) => setImmediate(resolve));
  collectGarbage();
  assert.equal(beats.deref(), undefined);
  world.commits[0]?.done(null);
  assert.deepEqual(answers, [null]);
});

/** In a function of its own: what was on its stack is gone when it has returned. */
function takenBeats(world: World, answers: (Failure | null)[]): object {
  const beats = [{ id: 'n', samples: [...SAMPLE] }];
  world.beats.many(beats, (failure) => answers.push(failure));
  return beats;
}

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}
