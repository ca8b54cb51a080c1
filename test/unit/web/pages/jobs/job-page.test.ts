/** What the job's page works out: what a job cost, and where its volumes are. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { meanSeconds } from '../../../../../src/protocol/explain/step-times.ts';
import { timedEvents } from '../../../../../src/protocol/run-segments.ts';
import { epochNsOfMs } from '../../../../../src/protocol/timestamp.ts';
import { claimsOf } from '../../../../../web/src/api/claims.ts';
import { timeOfLine } from '../../../../../web/src/logs/log-line.ts';
import { costsOf, notRepeatedText } from '../../../../../web/src/pages/jobs/job-cost.ts';
import {
  heldUpTo,
  lostText,
  outcomesOf,
  restoredInLaterRun,
  workDoneFigure,
  workFigure,
} from '../../../../../web/src/pages/jobs/runs.ts';
import { volumeFact, volumesOf } from '../../../../../web/src/pages/jobs/volumes.ts';
import { boundsOf } from '../../../../../web/src/range/range.ts';

const event = (eventType: string, time: string, more: object = {}) => ({
  eventType,
  timestamp: `2026-01-01T${time}Z`,
  ...more,
});

test('what a job that was run again cost is told run by run', () => {
  const events = [
    event('Job-Creating', '08:00:00', { nodeOid: 'i-a' }),
    event('Job-Running', '08:00:00'),
    event('Job-Failed', '08:10:00'),
    event('Job-Creating', '09:00:00', { nodeOid: 'i-a' }),
    event('Job-Running', '09:00:00'),
    event('Job-Restoring', '09:20:00', { nodeOid: 'i-b' }),
    event('Job-RestoreSucceeded', '09:30:00'),
    event('Job-Succeeded', '10:00:00'),
  ];
  const rows = costsOf(timedEvents(events), new Map(), epochNsOfMs(0));
  assert.deepEqual(
    rows.map(({ run, nodeOid, runSeconds }) => [run, nodeOid, runSeconds]),
    [
      [1, 'i-a', 600],
      [2, 'i-a', 1_200],
      [2, 'i-b', 1_800],
    ],
  );
});

test('cost and savings of the worked example in docs/reference/metrics.md, node by node', () => {
  const events = [
    event('Job-Creating', '08:00:00', { nodeOid: 'i-a' }),
    event('Job-Running', '08:02:00'),
    event('Job-Checkpointing', '08:12:00'),
    event('Job-CheckpointSucceeded', '08:12:30'),
    event('Job-Checkpointing', '08:22:00'),
    event('Job-Restoring', '08:27:00', { nodeOid: 'i-b' }),
    event('Job-RestoreSucceeded', '08:28:30'),
    event('Job-Running', '08:28:40'),
    event('Job-Succeeded', '09:08:30'),
  ];
  const prices = new Map([
    ['i-a', { isSpot: true, price: 0.36, onDemandPrice: 1.2 }],
    ['i-b', { isSpot: true, price: 0.72, onDemandPrice: 1.8 }],
  ]);
  const rounded = costsOf(timedEvents(events), prices, epochNsOfMs(Date.UTC(2026, 5, 1))).map((row) => [
    row.nodeOid,
    row.runSeconds,
    row.cost.toFixed(2),
    row.savedBySpot.toFixed(2),
    row.timeSavedSeconds,
    row.savedByRestore.toFixed(2),
  ]);
  assert.deepEqual(rounded, [
    ['i-a', 1_500, '0.15', '0.35', 0, '0.00'],
    ['i-b', 2_400, '0.48', '0.72', 600, '0.12'],
  ]);
  const unknown = costsOf(timedEvents(events), new Map(), epochNsOfMs(0));
  assert.deepEqual(
    unknown.map(({ price, cost, runSeconds }) => [price, cost, runSeconds]),
    [
      [undefined, 0, 1_500],
      [undefined, 0, 2_400],
    ],
  );
});

test('a restore from a checkpoint that was not reported saved an unknown amount, on its node and in the sum', () => {
  const events = [
    event('Job-Creating', '07:59:00', { nodeOid: 'i-a' }),
    event('Job-Running', '08:00:00'),
    event('Job-Restoring', '08:10:00', { nodeOid: 'i-b' }),
    event('Job-RestoreSucceeded', '08:11:00'),
    event('Job-Checkpointing', '08:20:00'),
    event('Job-CheckpointSucceeded', '08:21:00'),
    event('Job-Restoring', '08:30:00', { nodeOid: 'i-c' }),
    event('Job-RestoreSucceeded', '08:31:00'),
  ];
  const rows = costsOf(timedEvents(events), new Map(), epochNsOfMs(Date.UTC(2026, 0, 1, 9)));
  assert.deepEqual(
    rows.map(({ nodeOid, isUntold, timeSavedSeconds }) => [nodeOid, isUntold, timeSavedSeconds > 0]),
    [
      ['i-a', false, false],
      ['i-b', true, false],
      // What its checkpoint held begins with what nobody knows.
      ['i-c', true, true],
    ],
  );
  assert.deepEqual(
    [0, 60].map((seconds) => notRepeatedText(seconds, true).replaceAll('\u00a0', ' ')),
    ['unknown', '≥ 1 m'],
  );
  assert.deepEqual(
    [0, 60].map((seconds) => notRepeatedText(seconds, false).replaceAll('\u00a0', ' ')),
    ['–', '1 m'],
  );
});

test('volumes tell when they were made and attached; attempts, how long those that succeeded took on average', () => {
  const events = [
    event('Volume-Created', '08:00:00', { volumnId: 'v1' }),
    event('Volume-Attached', '08:00:30', { volumnId: 'v1' }),
    event('Volume-Unready', '08:01:00', { volumnId: 'v2' }),
    event('Job-Checkpointing', '08:10:00'),
    event('Job-CheckpointSucceeded', '08:10:20'),
    event('Job-Checkpointing', '08:20:00'),
    event('Job-CheckpointFailed', '08:20:40'),
    event('Job-Checkpointing', '08:30:00'),
  ];
  assert.deepEqual(volumesOf({ volumeIds: ['v1', 'v2'], events }), [
    {
      id: 'v1',
      createdAt: '2026-01-01T08:00:00Z',
      attachedAt: '2026-01-01T08:00:30Z',
      unreadyAt: undefined,
      isUnready: false,
    },
    { id: 'v2', createdAt: undefined, attachedAt: undefined, unreadyAt: '2026-01-01T08:01:00Z', isUnready: true },
  ]);
  assert.deepEqual(
    volumesOf({ volumeIds: ['v1', 'v2'], events }).map((volume) => volumeFact(volume).text.replace('\u00a0', ' ')),
    ['attached 30 s after it was created', 'since'],
  );
  // Also where it was created first, and the job began again since.
  const made = [event('Volume-Created', '08:00:00', { volumnId: 'v2' }), ...events];
  const [again] = volumesOf({ volumeIds: ['v2'], events: [...made, event('Job-Creating', '08:40:00')] });
  assert.deepEqual(again && volumeFact(again), { text: 'was not ready at', at: '2026-01-01T08:01:00Z' });
  const runs = [...events, event('Job-Running', '08:40:00')];
  const [told] = volumesOf({ volumeIds: ['v2'], events: runs });
  assert.deepEqual([told?.isUnready, told?.unreadyAt], [false, '2026-01-01T08:01:00Z']);
  assert.equal(meanSeconds(events, 'Job-Checkpointing', 'Job-CheckpointSucceeded'), 20);
  assert.equal(meanSeconds(events, 'Job-Restoring', 'Job-RestoreSucceeded'), undefined);
});

test('what was tried in a run that is over does not count for the next one', () => {
  const types = ['Job-Checkpointing', 'Job-CheckpointSucceeded', 'Job-CheckpointFailed'] as const;
  const saved = [event('Job-Checkpointing', '08:10:00'), event('Job-CheckpointSucceeded', '08:10:20')];
  const first = [event('Job-Creating', '08:00:00'), ...saved];
  const whole = { attempts: 4, successes: 3, failures: 0 };
  for (const end of ['Job-Failed', 'Job-Succeeded']) {
    const again = [...first, event(end, '08:20:00'), event('Job-Creating', '08:30:00')];
    assert.deepEqual(outcomesOf(again, whole, types), {
      tally: { attempts: 0, successes: 0, failures: 0 },
      earlier: { attempts: 4, successes: 3 },
    });
    const { tally, earlier } = outcomesOf([...again, event('Job-Checkpointing', '08:40:00')], whole, types);
    assert.deepEqual([tally.attempts, earlier], [1, { attempts: 3, successes: 3 }]);
    // Of the run that is over itself, all of it counts.
    assert.deepEqual(outcomesOf(again.slice(0, -1), whole, types), { tally: whole, earlier: null });
  }
  const stopped = [...first, event('Job-Stopped', '08:20:00'), event('Job-Creating', '08:30:00')];
  assert.deepEqual(
    outcomesOf(stopped, whole, types),
    { tally: whole, earlier: null },
    'the next run goes on from them',
  );
});

test('run time of earlier runs counts where a run that began from scratch was restored', () => {
  const runs = (...types: string[]): boolean =>
    restoredInLaterRun(types.map((name, i) => event(`Job-${name}`, `08:${10 + i}:00`)));
  const restored = ['Checkpointing', 'CheckpointSucceeded', 'Restoring', 'RestoreSucceeded'];
  assert.equal(runs('Creating', 'Running', 'Failed', 'Creating', 'Running', ...restored), true);
  assert.equal(runs('Creating', 'Running', ...restored, 'Running', 'Succeeded'), false);
  // It never ran before, or went on from where it was.
  assert.equal(runs('Creating', 'Failed', 'Creating', 'Running', ...restored), false);
  assert.equal(runs('Creating', 'Running', 'Failed', 'Creating', 'Restoring', 'RestoreSucceeded', ...restored), false);
  assert.equal(runs('Creating', 'Running', 'Stopped', 'Creating', 'Running', ...restored), false);
});

test('from when on work is unsaved is told as the server counts it, also where a beginning was not reported', () => {
  const saved = event('Job-CheckpointSucceeded', '08:30:00');
  const before = [event('Job-Checkpointing', '08:10:00'), event('Job-CheckpointSucceeded', '08:10:20')];
  const sinceOf = (...events: Parameters<typeof heldUpTo>[0]): unknown[] => {
    const { since, at, wasRestoredSince } = heldUpTo([event('Job-Running', '08:00:00'), ...events]);
    return [since, at, wasRestoredSince];
  };
  assert.deepEqual(sinceOf(...before), ['last', '2026-01-01T08:10:00Z', false]);
  assert.deepEqual(sinceOf(...before, saved), ['before', '2026-01-01T08:10:00Z', false]);
  assert.deepEqual(sinceOf(saved), ['start', undefined, false]);
  assert.deepEqual(sinceOf(...before, event('Job-RestoreSucceeded', '08:40:00')), [
    'last',
    '2026-01-01T08:10:00Z',
    true,
  ]);
});

test('what a job did is a bound where what a restored checkpoint held was not reported, and exact where it was', () => {
  const done = (...events: Parameters<typeof heldUpTo>[0]): string => {
    const run = [event('Job-Creating', '07:59:00'), event('Job-Running', '08:00:00'), ...events];
    const { value, note } = workDoneFigure({
      events: [...run, event('Job-Succeeded', '09:00:00')],
      updatedAt: '2026-01-01T09:00:00Z',
    });
    return `${value} ${note}`.replaceAll('\u00a0', ' ');
  };
  const restored = [event('Job-Restoring', '08:30:00'), event('Job-RestoreSucceeded', '08:31:00')];
  const saved = [event('Job-Checkpointing', '08:10:00'), event('Job-CheckpointSucceeded', '08:10:20')];
  const again = [event('Job-Failed', '08:12:00'), event('Job-Creating', '08:13:00')];
  const bound = '≥ 29 m run time; what the restored checkpoint held was not reported';
  assert.equal(done(), '1 h run time');
  assert.equal(done(...restored), bound);
  assert.equal(done(...saved, ...restored), '39 m run time, without what was repeated after restores');
  // What a run that failed saved is not what the next one is restored from.
  assert.equal(done(...saved, ...again, ...restored), bound.replace('run time', 'run time of run 2'));
  assert.equal(
    done(...saved, ...again, event('Job-Running', '08:14:00'), ...restored),
    bound.replace('run time', 'run time of run 2'),
  );
  // Nothing known is no job that never ran.
  assert.equal(workFigure({ seconds: 0, isAtLeast: true }, 'lost').value.replace('\u00a0', ' '), '≥ 0 s');
});

test('a token tells its owner and his groups; what is no token tells nothing', () => {
  const token = (claims: object): string => `x.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.y`;
  assert.deepEqual(claimsOf(token({ username: 'zoë', groups: ['a'], exp: 7 }), 'groups'), {
    userName: 'zoë',
    groups: ['a'],
    expiresAt: 7,
  });
  assert.deepEqual(claimsOf(token({ sub: 's', groups: 'a' }), 'groups').groups, ['a']);
  for (const text of ['', 'a', 'a.b.c', 'a.e30', `a.${btoa('null')}.c`])
    assert.deepEqual(claimsOf(text, 'groups').userName, '');
});

test('last month is the calendar’s, also in January; other ranges end with this minute', () => {
  const { startMs, endMs } = boundsOf('month', new Date(2026, 0, 17, 5).getTime());
  assert.deepEqual([startMs, endMs], [new Date(2025, 11, 1).getTime(), new Date(2026, 0, 1).getTime()]);
  assert.deepEqual(boundsOf('1h', 3_600_000 * 5 + 1), { startMs: 3_600_000 * 4, endMs: 3_600_000 * 5 + 60_000 });
});

test('the time of a line is found in JSON and in text, and taken for UTC where it names no zone', () => {
  const at = Date.UTC(2026, 0, 2, 3, 4, 5);
  for (const text of [
    '{"level":"info","time":"2026-01-02T03:04:05Z"}',
    '2026-01-02 03:04:05,000 INFO x',
    '[2026-01-02T04:04:05+01:00] y',
  ])
    assert.equal(timeOfLine(text), at, text);
  assert.equal(timeOfLine('no time at all'), undefined);
});

test('of a job with a checkpoint that was not reported, nobody knows how much of its work is repeated', () => {
  const untold = 'may be repeated: no successful checkpoint was reported';
  const none = { saves: 0, restores: 0 };
  assert.equal(
    lostText({ phase: 'stopped', status: 'Stopped', events: [] }, none),
    'will be repeated when the job runs again',
  );
  assert.equal(lostText({ phase: 'stopped', status: 'Stopped', events: [] }, { saves: 0, restores: 1 }), untold);
  assert.equal(lostText({ phase: 'restoring', status: 'RestoreFailed', events: [] }, none), untold);
  const saved = { saves: 1, restores: 0 };
  assert.equal(
    lostText({ phase: 'restoring', status: 'RestoreFailed', events: [] }, saved),
    'will be repeated if the job is restored',
  );
  assert.equal(lostText({ phase: 'running', status: 'Running', events: [] }, none), undefined);
});

test('of a job whose node went while it was restored, and of one that begins again, it is told what will be repeated', () => {
  const ran = [event('Job-Creating', '08:00:00'), event('Job-Running', '08:00:00')];
  const none = { saves: 0, restores: 0 };
  const restoring = [...ran, event('Job-Restoring', '09:00:00')];
  const stranded = { phase: 'stranded', status: 'Restoring', events: restoring } as const;
  assert.equal(lostText(stranded, none), 'may be repeated: no successful checkpoint was reported');
  assert.equal(lostText(stranded, { saves: 1, restores: 0 }), 'will be repeated when the job runs again');
  const again = [...ran, event('Job-Stopped', '09:00:00'), event('Job-Creating', '09:10:00')];
  const starting = { phase: 'starting', status: 'Creating' } as const;
  assert.equal(lostText({ ...starting, events: again }, none), 'will be repeated once the job runs again');
  // The work of a run that failed is lost for good; one that never ran has none.
  const failed = [...ran, event('Job-Failed', '09:00:00'), event('Job-Creating', '09:10:00')];
  assert.equal(lostText({ ...starting, events: failed }, none), undefined);
  assert.equal(lostText({ phase: 'stranded', status: 'Creating', events: ran.slice(0, 1) }, none), undefined);
});

test('what was not repeated is of one run: no checkpoint of it holds the work of one that failed before', () => {
  const run = (hour: string, ...rest: [type: string, time: string, more?: object][]) => [
    event('Job-Creating', `${hour}:00:00`, { nodeOid: 'i-a' }),
    event('Job-Running', `${hour}:00:00`),
    ...rest.map(([type, time, more]) => event(`Job-${type}`, `${hour}:${time}`, more)),
  ];
  const saved = [
    ['Checkpointing', '10:00'],
    ['CheckpointSucceeded', '10:30'],
  ] as [string, string][];
  const restored = [
    ['Restoring', '20:00', { nodeOid: 'i-b' }],
    ['RestoreSucceeded', '21:00'],
  ] as [string, string, object?][];
  const savedOf = (end: string, ...second: [string, string, object?][]): unknown[] =>
    costsOf(
      timedEvents([...run('08', ...saved, [end, '50:00']), ...run('09', ...second)]),
      new Map(),
      epochNsOfMs(Date.UTC(2026, 0, 1, 9, 30)),
    )
      .filter(({ nodeOid }) => nodeOid === 'i-b')
      .map(({ timeSavedSeconds, isUntold }) => [timeSavedSeconds, isUntold]);
  assert.deepEqual(savedOf('Failed', ...saved, ...restored), [[600, false]]);
  assert.deepEqual(savedOf('Failed', ...restored), [[0, true]], 'from a checkpoint that was not reported');
  // One that was stopped goes on from what it has.
  assert.deepEqual(savedOf('Stopped', ...saved, ...restored), [[3_600, false]]);
});
