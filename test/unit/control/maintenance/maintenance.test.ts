import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ManualClock } from '../../../../src/base/clock.ts';
import { CodedError } from '../../../../src/base/errors.ts';
import { Maintenance } from '../../../../src/control/maintenance/maintenance.ts';
import { type Config, changeConfigByText, newConfig } from '../../../../src/protocol/config/config.ts';
import type { Pool } from '../../../../src/workers/pool.ts';
import type { AnswerTask, FoundIds } from '../../../../src/workers/task/task.ts';
import { CONFIG_SEEDS } from '../../../support/config-seeds.ts';
import { writtenLog } from '../../../support/written-log.ts';

const HOUR_MS = 3_600_000;
const NOW_MS = Date.UTC(2026, 0, 31, 12);

function found(ids: readonly string[] = [], next: string | null = null): FoundIds {
  return { ids, next: next === null ? null : Buffer.from(next) };
}

/** Maintenance with everything around it made up; timers go when the test says so. */
class House {
  readonly clock = new ManualClock(NOW_MS);
  readonly tasks: AnswerTask[] = [];
  readonly asked: string[] = [];
  seriesPasses = 0;
  readonly logsRemoved: string[] = [];
  logSweeps = 0;
  readonly written = writtenLog();
  config: Config = newConfig(CONFIG_SEEDS);
  answer: (task: AnswerTask) => unknown = () => found();
  /** Whether the actor of that id says that it is gone. */
  removes: (id: string) => boolean = () => true;
  /** What asking an actor throws. */
  readonly failures = new Map<string, Error>();
  /** Node whose logs cannot be removed. */
  keepsLogs: string | null = null;
  readonly maintenance: Maintenance;
  readonly #t: TestContext;

  constructor(t: TestContext) {
    this.#t = t;
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const pool: Pick<Pool, 'answer'> = {
      answer: async (task) => {
        this.tasks.push(task);
        return this.answer(task) as never;
      },
    };
    this.maintenance = new Maintenance({
      clock: this.clock,
      log: this.written.log,
      pool: pool as Pool,
      config: () => this.config,
      ask: async (kind, id, message) => {
        this.asked.push(`${kind}/${id} ${message.type}`);
        const failure = this.failures.get(id);
        if (failure) throw failure;
        return { removed: this.removes(id) };
      },
      keepSeries: async () => void this.seriesPasses++,
      removeNodeLogs: async (id) => {
        if (id === this.keepsLogs) throw new Error('EACCES');
        this.logsRemoved.push(id);
      },
      sweepNodeLogs: async (onFailure) => {
        this.logSweeps++;
        if (this.keepsLogs !== null) onFailure(this.keepsLogs, new Error('EACCES'));
      },
    });
    t.after(() => this.maintenance.stop());
  }

  change(entries: Readonly<Record<string, string>>): void {
    const result = changeConfigByText(this.config, entries);
    assert.ok(result.ok);
    this.config = result.config;
  }

  /** Time passes, and what the timers began is brought to its end. */
  async pass(ms: number): Promise<void> {
    this.#t.mock.timers.tick(ms);
    for (let i = 0; i < 50; i++) await Promise.resolve();
  }

  sweeps(type: AnswerTask['type']): number {
    return this.tasks.filter((task) => task.type === type).length;
  }
}

test('jobs are swept every retentionInterval, with the two times of the configuration', async (t) => {
  const house = new House(t);
  house.maintenance.start();
  await house.pass(HOUR_MS - 1);
  assert.equal(house.sweeps('expiredJobs'), 0);
  await house.pass(1);
  assert.deepEqual(
    house.tasks.filter(({ type }) => type === 'expiredJobs'),
    [
      {
        type: 'expiredJobs',
        succeededBeforeMs: NOW_MS - 72 * HOUR_MS,
        failedBeforeMs: NOW_MS - 168 * HOUR_MS,
        after: null,
        limit: 100,
      },
    ],
  );
  await house.pass(HOUR_MS);
  assert.equal(house.sweeps('expiredJobs'), 2);
});

test('a sweep goes on behind what it has seen, whether that went or not', async (t) => {
  const house = new House(t);
  const answers = [found(['a', 'b'], 'b'), found(['stuck'], 'stuck'), found(['c'])];
  house.answer = (task) => (task.type === 'expiredJobs' ? (answers.shift() ?? found()) : found());
  house.removes = (id) => id !== 'stuck';
  house.maintenance.start();
  await house.pass(HOUR_MS);
  assert.deepEqual(house.asked, ['job/a expire', 'job/b expire', 'job/stuck expire', 'job/c expire']);
  const behind = house.tasks.flatMap((task) => (task.type === 'expiredJobs' ? [task.after && `${task.after}`] : []));
  assert.deepEqual(behind, [null, 'b', 'stuck']);
});

test('a record that cannot be read is told once and left, and the sweep goes on each time', async (t) => {
  const house = new House(t);
  house.answer = (task) => {
    if (task.type !== 'expiredJobs') return found();
    return task.after ? found(['c']) : found(['a', 'bad', 'b'], 'b');
  };
  house.failures.set('bad', new CodedError('internal', 'cannot read a job record: it is damaged'));
  house.maintenance.start();
  for (const pass of [1, 2]) {
    await house.pass(HOUR_MS);
    assert.deepEqual(house.asked.slice(-4), ['job/a expire', 'job/bad expire', 'job/b expire', 'job/c expire']);
    const told = house.written.lines.filter(({ sweep }) => sweep === 'jobs');
    assert.deepEqual(
      told.map(({ level, what, skipped }) => [level, what ?? skipped]),
      [['error', 'job bad'], ...Array(pass).fill(['warn', 1])],
    );
  }
});

test('what nothing can be removed without ends the sweep', async (t) => {
  const house = new House(t);
  house.answer = (task) => (task.type === 'expiredJobs' ? found(['a', 'b'], 'b') : found());
  house.failures.set('a', new CodedError('overloaded', 'a shard is restarting'));
  house.maintenance.start();
  await house.pass(HOUR_MS);
  assert.deepEqual(house.asked, ['job/a expire', 'job/b expire']);
  assert.deepEqual(
    house.written.lines.map(({ level, sweep }) => [level, sweep]),
    [['warn', 'jobs']],
  );
});

test('logs that cannot be removed or held to their cap are told, and all other logs are', async (t) => {
  const house = new House(t);
  house.keepsLogs = 'locked';
  house.answer = (task) => {
    if (task.type !== 'endedNodes') return found();
    return task.after ? found(['n3']) : found(['n1', 'locked', 'n2'], 'n2');
  };
  house.maintenance.start();
  await house.pass(12 * HOUR_MS);
  assert.deepEqual(house.logsRemoved, ['n1', 'n2', 'n3']);
  assert.equal(house.logSweeps, 1);
  const told = house.written.lines.filter(({ sweep }) => sweep === 'nodes');
  assert.deepEqual(
    told.map(({ what, skipped }) => what ?? skipped),
    ['the logs of node locked', 2],
  );
});

test('a node’s logs go with the node, and stay where the node has come back meanwhile', async (t) => {
  const house = new House(t);
  const answers = [found(['gone', 'back'])];
  house.answer = (task) => {
    if (task.type === 'endedNodes') {
      assert.equal(task.endedBeforeMs, NOW_MS - 30 * 24 * HOUR_MS);
      return answers.shift() ?? found();
    }
    return found();
  };
  house.removes = (id) => id === 'gone';
  house.maintenance.start();
  await house.pass(12 * HOUR_MS);
  assert.deepEqual(house.asked, ['node/gone forget', 'node/back forget']);
  assert.deepEqual(house.logsRemoved, ['gone']);
});

test('the logs of nodes are held to their caps every cleanLogInterval', async (t) => {
  const house = new House(t);
  house.change({ 'node.cleanLogInterval': '10s' });
  house.maintenance.start();
  await house.pass(9_999);
  assert.equal(house.logSweeps, 0);
  await house.pass(1);
  assert.equal(house.logSweeps, 1);
});

test('the series are kept every minute, one pass after the other', async (t) => {
  const house = new House(t);
  house.maintenance.start();
  await house.pass(59_999);
  assert.equal(house.seriesPasses, 0);
  await house.pass(1);
  assert.equal(house.seriesPasses, 1);
  await house.pass(60_000);
  assert.equal(house.seriesPasses, 2);
});

test('a sweep that failed is logged and comes again', async (t) => {
  const house = new House(t);
  house.answer = (task) => {
    if (task.type === 'expiredJobs') throw new Error('the pool is gone');
    return found();
  };
  house.maintenance.start();
  await house.pass(HOUR_MS);
  assert.deepEqual(
    house.written.lines.map(({ level, sweep }) => [level, sweep]),
    [['warn', 'jobs']],
  );
  await house.pass(HOUR_MS);
  assert.equal(house.sweeps('expiredJobs'), 2);
});

test('an interval that is changed counts from the change on', async (t) => {
  const house = new House(t);
  house.maintenance.start();
  await house.pass(HOUR_MS / 2);
  house.change({ 'job.retentionInterval': '10m' });
  house.maintenance.retime();
  await house.pass(HOUR_MS / 6 - 1);
  assert.equal(house.sweeps('expiredJobs'), 0);
  await house.pass(1);
  assert.equal(house.sweeps('expiredJobs'), 1);
});

test('a change of something else begins no wait again, and a change during a sweep makes no second one', async (t) => {
  const house = new House(t);
  let end: (ids: FoundIds) => void = () => {};
  house.answer = (task) => {
    if (task.type === 'expiredJobs') return new Promise<FoundIds>((resolve) => (end = resolve));
    return found();
  };
  house.maintenance.start();
  await house.pass(HOUR_MS / 2);
  house.change({ 'job.successTTL': '1h' });
  house.maintenance.retime();
  await house.pass(HOUR_MS / 2);
  assert.equal(house.sweeps('expiredJobs'), 1);
  house.change({ 'job.retentionInterval': '1m' });
  house.maintenance.retime();
  await house.pass(HOUR_MS);
  assert.equal(house.sweeps('expiredJobs'), 1, 'the sweep is not over');
  end(found());
  await house.pass(0);
  await house.pass(60_000);
  assert.equal(house.sweeps('expiredJobs'), 2);
});

test('an interval longer than a timer can hold is waited for in full', async (t) => {
  const house = new House(t);
  house.change({ 'job.retentionInterval': '1000h' });
  house.maintenance.start();
  await house.pass(2 ** 31 - 1);
  assert.equal(house.sweeps('expiredJobs'), 0, 'the longest timer is not the interval');
  await house.pass(1_000 * HOUR_MS - (2 ** 31 - 1));
  assert.equal(house.sweeps('expiredJobs'), 1);
});

test('after the stop nothing is swept', async (t) => {
  const house = new House(t);
  house.maintenance.start();
  house.maintenance.stop();
  await house.pass(100 * HOUR_MS);
  assert.deepEqual(house.tasks, []);
});
