/** What takes longer than it should: checkpoints, starts and restores in progress, and work that is due to be saved. Pure. */
import { spanText } from '../../../../../src/protocol/explain/span.ts';
import { LONG_STEP_MINUTES, type LongStep, type LongSteps, RESTORING, STARTING } from '../../../lists/counted.ts';
import { longListOf } from '../../../lists/list-links.ts';
import { isMuchUnsaved, MANY_INTERVALS, sumOfUnsaved } from '../../../lists/risk-tone.ts';
import { countText } from '../../../parts/format.ts';
import type { AttentionRow, Circumstances } from './attention-row.ts';

type Slow = Pick<
  Circumstances,
  'checkpoints' | 'starts' | 'restores' | 'statuses' | 'unsaved' | 'isUnsavedPart' | 'intervalSeconds' | 'nowMs'
>;

export function slowSteps(circumstances: Slow): AttentionRow[] {
  return [
    ...longRestores(circumstances),
    ...longStarts(circumstances),
    ...longCheckpoints(circumstances),
    ...lateSaves(circumstances),
  ];
}

function longCheckpoints({ checkpoints, statuses, nowMs }: Slow): AttentionRow[] {
  const search = { ...longListOf('running', checkpoints?.before), status: 'Checkpointing' };
  const all = statuses['Checkpointing'] ?? 0;
  return rowOf('long-checkpoints', checkpoints?.jobs ?? [], search, {
    one: ({ id, updatedAt }) => `A checkpoint of ${id} has taken ${minutesText(updatedAt, nowMs)} so far.`,
    many: (count) => `${whichText(count, all)} checkpoints in progress have taken more than ${LONG_STEP_MINUTES} m.`,
  });
}

function longRestores({ restores, statuses, nowMs }: Slow): AttentionRow[] {
  const all = sumOf(RESTORING, statuses);
  return rowOf('long-restores', beyondVolumes(restores), longListOf('restoring', restores?.before), {
    one: ({ id, updatedAt }) => `A restore of ${id} has taken ${minutesText(updatedAt, nowMs)} so far.`,
    many: (count) => `${whichText(count, all)} restores in progress have taken more than ${LONG_STEP_MINUTES} m.`,
  });
}

function longStarts({ starts, statuses, nowMs }: Slow): AttentionRow[] {
  const all = sumOf(STARTING, statuses);
  return rowOf('long-starts', beyondVolumes(starts), longListOf('starting', starts?.before), {
    one: ({ id, updatedAt }) => `${id} has been starting for ${minutesText(updatedAt, nowMs)}.`,
    many: (count) => `${whichText(count, all)} starting jobs have waited for more than ${LONG_STEP_MINUTES} m.`,
  });
}

/** Those that only wait for a volume have a row of their own; among others they are counted, as their list has them, too. */
function beyondVolumes(steps: LongSteps | undefined): readonly LongStep[] {
  const jobs = steps?.jobs ?? [];
  return jobs.every(({ status }) => status.endsWith('VolumeUnready')) ? [] : jobs;
}

function sumOf(names: readonly string[], statuses: Circumstances['statuses']): number {
  return names.reduce((sum, status) => sum + (statuses[status] ?? 0), 0);
}

interface Words {
  readonly one: (job: LongStep) => string;
  readonly many: (count: number) => string;
}

/** One leads to its job, several lead to their list. */
function rowOf(
  key: string,
  jobs: readonly LongStep[],
  search: ReturnType<typeof longListOf>,
  { one, many }: Words,
): AttentionRow[] {
  const [oldest] = jobs;
  if (oldest === undefined) return [];
  const common = { key, severity: 'warning', since: oldest.updatedAt } as const;
  return jobs.length === 1
    ? [{ ...common, text: one(oldest), link: { to: '/job', search: { id: oldest.id } } }]
    : [{ ...common, text: many(jobs.length), link: { to: '/jobs', search } }];
}

function whichText(count: number, all: number): string {
  return count >= all ? `All ${countText(count)}` : `${countText(count)} of ${countText(all)}`;
}

function minutesText(since: string, nowMs: number): string {
  return spanText(Math.floor((nowMs - Date.parse(since)) / 60_000) * 60);
}

/** Jobs that run, and whose checkpoint is overdue. */
function lateSaves({ unsaved, isUnsavedPart, intervalSeconds }: Slow): AttentionRow[] {
  if (intervalSeconds === undefined) return [];
  const late = unsaved.filter((job) => isMuchUnsaved(job, intervalSeconds));
  const [most] = late;
  if (most === undefined) return [];
  const stake = isUnsavedPart ? {} : { stake: `${spanText(sumOfUnsaved(late))} unsaved` };
  const common = { key: 'late-saves', severity: 'warning', ...stake } as const;
  const every = `checkpoints are due every ${spanText(intervalSeconds)}`;
  if (late.length === 1 && !isUnsavedPart)
    return [
      {
        ...common,
        text: `${most.id} was not saved in time: ${every}.`,
        link: { to: '/job', search: { id: most.id } },
      },
    ];
  const which = isUnsavedPart
    ? `At least ${late.length === 1 ? '1 running job has' : `${countText(late.length)} running jobs have`}`
    : `${whichText(late.length, unsaved.length)} running jobs have`;
  return [
    {
      ...common,
      text: `${which} more than ${spanText(MANY_INTERVALS * intervalSeconds)} of unsaved work: ${every}.`,
      link: { to: '/jobs', search: { phase: 'running', sort: '-unsaved', saved: 'late' } },
    },
  ];
}
