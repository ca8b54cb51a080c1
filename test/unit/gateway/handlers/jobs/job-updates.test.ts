/** Large job updates, in slices: the same faults, the same warnings and the same parts as if nothing were sliced. */
import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import type { UpdateJob } from '../../../../../src/actors/job/messages.ts';
import type { ShardHost } from '../../../../../src/actors/shard/host/shard-host.ts';
import { CodedError } from '../../../../../src/base/errors.ts';
import { validate } from '../../../../../src/gateway/body/parse-body.ts';
import { SliceBudget, type Sliced } from '../../../../../src/gateway/body/turns.ts';
import {
  checkedUpdate,
  EVENTS_PER_PART,
  EVENTS_PER_SLICE,
  JobUpdates,
  partsOf,
} from '../../../../../src/gateway/handlers/jobs/job-updates.ts';
import { type JobUpdate, jobUpdateSchema, type SentJobEvent } from '../../../../../src/protocol/job.ts';
import { cleanTexts } from '../../../../../src/protocol/text.ts';
import { eventAt } from '../../../../support/job-events.ts';
import { JobWorld } from '../../../../support/job-world.ts';

function run<T>(work: Sliced<T>): { readonly value: T; readonly slices: number } {
  for (let slices = 1; ; slices++) {
    const { done, value } = work.next();
    if (done) return { value, slices };
  }
}

const budget = (): SliceBudget => new SliceBudget(EVENTS_PER_SLICE);
const events = (count: number): SentJobEvent[] =>
  Array.from({ length: count }, (_, i) => eventAt(i, i % 2 === 0 ? 'Job-Checkpointing' : 'Job-CheckpointSucceeded'));
const update = (count: number, more: object = {}): JobUpdate => ({
  id: 'j-1',
  queueName: 'q',
  events: events(count),
  ...more,
});

/** What is made of an update in slices, and in one; both may be refused. */
function bothWays(sent: unknown): [sliced: unknown, whole: unknown] {
  const ways = [
    (copy: unknown, warnings: string[]) => run(checkedUpdate(copy, warnings, budget())).value,
    (copy: unknown, warnings: string[]) => validate(jobUpdateSchema, cleanTexts(copy, warnings)),
  ];
  return ways.map((way) => {
    const warnings: string[] = [];
    try {
      return { update: way(structuredClone(sent), warnings), warnings };
    } catch (error) {
      assert.ok(error instanceof CodedError, String(error));
      return { name: error.name, fields: error.fields };
    }
  }) as [unknown, unknown];
}

const LATE = EVENTS_PER_SLICE + 7;
const withBad = (place: number, bad: unknown): object => ({
  ...update(2 * EVENTS_PER_SLICE),
  events: events(2 * EVENTS_PER_SLICE).with(place, bad as SentJobEvent),
});

for (const [what, sent] of [
  ['a small update', update(3, { cpus: 2, name: 'n', unknown: [1] })],
  ['no events', { id: 'j-1', queueName: 'q', events: null }],
  ['a large one', update(3 * EVENTS_PER_SLICE, { cpus: 2, name: 'x'.repeat(2_000) })],
  ['a bad field of the update', update(3, { cpus: -1, queueName: 7 })],
  ['a bad event in a later slice', withBad(LATE, { timestamp: 'never', eventType: '' })],
  ['an event that is none', withBad(LATE, 'x')],
  ['a long text in a later slice', withBad(LATE, eventAt(LATE, 'x'.repeat(2_000)))],
  ['an unclean reference in a later slice', withBad(LATE, eventAt(LATE, 'T', { nodeOid: 'a\nb' }))],
  ['faults here and there', { ...withBad(LATE, {}), cpus: 'two', id: '..' }],
  ['too many events', update(10_001)],
  ['no object', 'text'],
  ['nothing', null],
  ['an array', [update(1)]],
  ['events that are no array', { id: 'j-1', queueName: 'q', events: {} }],
] as const) {
  test(`${what}: the same in slices as in one`, () => {
    const [sliced, whole] = bothWays(sent);
    assert.deepEqual(sliced, whole);
  });
}

test('of many faults as many are told as always, the first ones', () => {
  const bad = { ...update(0), events: Array.from({ length: 2 * EVENTS_PER_SLICE }, () => ({ eventType: 'T' })) };
  const [sliced, whole] = bothWays(bad);
  assert.deepEqual(sliced, whole);
});

test('what no schema knows costs nothing: it is not cleaned, and makes no warning', () => {
  const warnings: string[] = [];
  run(checkedUpdate({ ...update(1), more: 'x'.repeat(5_000) }, warnings, budget()));
  assert.deepEqual(warnings, []);
});

test('events are checked so many in a slice', () => {
  const { slices } = run(checkedUpdate(update(10_000), [], budget()));
  assert.ok(slices >= 10_000 / EVENTS_PER_SLICE, `${slices} slices`);
});

test('parts hold what an actor takes at once, in the order of time, and the fields of the update are in the first', () => {
  const count = 2 * EVENTS_PER_PART + 1;
  const sent = update(count, { cpus: 2, events: events(count).reverse() });
  const parts = run(partsOf(sent, budget())).value;
  assert.deepEqual(
    parts.map((part) => [part.cpus, part.events?.length]),
    [
      [2, EVENTS_PER_PART],
      [undefined, EVENTS_PER_PART],
      [undefined, 1],
    ],
  );
  assert.deepEqual(
    parts.flatMap((part) => part.events ?? []),
    events(count),
  );
  assert.equal(run(partsOf(update(EVENTS_PER_PART), budget())).value.length, 1);
});

test('each part tells the epoch, for the job may be claimed between two of them', () => {
  const parts = run(partsOf(update(2 * EVENTS_PER_PART, { epoch: 3 }), budget())).value;
  assert.deepEqual(
    parts.map(({ epoch }) => epoch),
    [3, 3],
  );
});

test('an update in parts makes the job and the samples of one that is not', () => {
  const types = [
    'Job-Restoring',
    'Job-RestoreSucceeded',
    'Job-Checkpointing',
    'Job-CheckpointSucceeded',
    'Job-Stopped',
  ];
  const all = Array.from({ length: 2_500 }, (_, i) => eventAt((i * 7_919) % 20_000, types[i % 5] as string));
  const [whole, parted] = [new JobWorld(), new JobWorld()];
  for (const world of [whole, parted]) world.update([eventAt(1, 'Job-Running'), eventAt(9_999, 'Job-Succeeded')]);
  whole.update(all, { cpus: 3 });
  for (const part of run(partsOf(update(0, { cpus: 3, events: all }), budget())).value)
    parted.update((part.events ?? []) as never, part);
  assert.deepEqual(parted.job(), whole.job());
  assert.deepEqual(parted.samples(), whole.samples());
});

/** A host whose actor answers what it is told to. */
function hostOf(answers: readonly (string | null)[]): { readonly host: ShardHost; readonly asked: UpdateJob[] } {
  const asked: UpdateJob[] = [];
  const host = {
    clock: { wallMs: () => Date.UTC(2026, 0, 31, 12) },
    stats: { seriesCount: 0 },
    ask: async (_to: unknown, message: UpdateJob) => {
      const answer = answers[asked.push(message) - 1];
      if (answer) throw new CodedError(answer as 'overloaded');
    },
  };
  return { host: host as unknown as ShardHost, asked };
}

test('a part that meets a busy shard is sent again; the first one is refused, for nothing was taken', async () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    const { host, asked } = hostOf([null, 'overloaded', 'overloaded', null, null]);
    let ended = false;
    const done = new JobUpdates(host).apply(update(2 * EVENTS_PER_PART + 1)).finally(() => {
      ended = true;
    });
    while (!ended) {
      mock.timers.tick(200);
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.equal(await done, undefined);
    assert.deepEqual(
      asked.map((message) => message.update.events?.length),
      [EVENTS_PER_PART, EVENTS_PER_PART, EVENTS_PER_PART, EVENTS_PER_PART, 1],
    );
  } finally {
    mock.timers.reset();
  }
  const busy = hostOf(['overloaded']);
  await assert.rejects(new JobUpdates(busy.host).apply(update(2_000)), { name: 'overloaded' });
  assert.equal(busy.asked.length, 1);
});

test('updates of one call are handed on so many events in a turn', async () => {
  const { host, asked } = hostOf([]);
  const perTurn: number[] = [];
  let ended = false;
  const all = Array.from({ length: 100 }, (_, i) => update(50, { id: `j-${i}` }));
  const done = new JobUpdates(host).applyAll(all).finally(() => {
    ended = true;
  });
  for (let before = 0; !ended; before = asked.length) {
    await new Promise((resolve) => setImmediate(resolve));
    perTurn.push(asked.slice(before).reduce((sum, message) => sum + (message.update.events?.length ?? 0), 0));
  }
  assert.deepEqual(await done, new Array(100).fill(undefined));
  assert.equal(asked.length, 100);
  assert.ok(Math.max(...perTurn) <= 2 * EVENTS_PER_SLICE, `${perTurn.join(' ')}`);
});

test('events with long texts go to an actor in smaller parts', () => {
  const long = events(40).map((one) => ({ ...one, detail: 'x'.repeat(1_024), containerId: 'y'.repeat(1_024) }));
  const weighty = Array.from({ length: 10 }, (_, i) => long.map((one) => ({ ...one, batchJobId: `b-${i}` }))).flat();
  const parts = run(partsOf({ ...update(0), events: weighty }, budget())).value;
  assert.equal(
    parts.reduce((sum, part) => sum + (part.events?.length ?? 0), 0),
    400,
  );
  const heaviest = Math.max(...parts.map((part) => JSON.stringify(part).length));
  assert.ok(heaviest < 160_000, `${heaviest} characters in one part`);
});
