/** The columns of the table of queues: what is in each now, and what it did in the range. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Phase } from '../../../../src/protocol/phase.ts';
import { RESTORE_FAILED, RESTORE_UNREADY, START_UNREADY, type Within } from '../../lists/counted.ts';
import { failedListOf } from '../../lists/list-links.ts';
import { riskTone, type Saved } from '../../lists/risk-tone.ts';
import { centsText, countText, percentText, spanText, tenthsText } from '../../parts/format.ts';
import type { JobFilter } from '../../queries/jobs.ts';
import type { QueueRow } from './queue-rows.ts';
import { costUsd, savedUsd } from './totals.ts';

/** What else is needed to show a row. */
export interface Known {
  /** What stands in place of figures that are not known. */
  readonly missing: Readonly<
    Record<'now' | 'unrestored' | 'restoring' | 'running' | 'range' | 'failed', string | undefined>
  >;
  /** When those failed that are counted; absent while that is not known. */
  readonly within: Within | undefined;
  readonly intervalSeconds: number | undefined;
  /** `in 24 h`: a card has no head that says it of some of its figures. */
  readonly when: string;
}

export interface Column {
  readonly label: string;
  /** Which answer it is of. */
  readonly of: keyof Known['missing'];
  /** A class of those that a phone leaves out. */
  readonly where?: 'at-desk' | 'off-phone';
  readonly figureOf: (row: QueueRow) => number;
  /** The figure, and the list that it counts. `isSum`: of several queues, which have no list in common. */
  readonly cell: (row: QueueRow, known: Known, isSum: boolean) => ReactNode;
}

export const MOST_UNSAVED = 'Most unsaved';
export const OVERDUE = 'Overdue';
export const NEVER_SAVED = 'Never saved';
/** In a small window there is no room for it beside what a queue stands to lose. */
export const COST = 'Cost';
const RESTORING = 'Restoring';
const CORE_HOURS = 'Core-hours';
const RESTORED = 'Restored';
const CHECKPOINTS_FAILED = 'Checkpoints failed';
const FAILED_SHARE = 'Failed of ended';
/** What a window loses first, then what it loses next: a wider one has all that a narrower one has. */
export const LOST_FIRST: readonly string[] = [RESTORED, CORE_HOURS];
export const LOST_NEXT: readonly string[] = ['Starting', RESTORING, 'Submitted'];
export const LOST_LAST: readonly string[] = [CHECKPOINTS_FAILED, FAILED_SHARE];
/** The overview has no room for them. */
export const ON_PAGE_ONLY: readonly string[] = [RESTORING, OVERDUE, NEVER_SAVED, CHECKPOINTS_FAILED, FAILED_SHARE];
const RESTORING_NOW: Column = {
  label: RESTORING,
  of: 'restoring',
  where: 'at-desk',
  figureOf: restoring,
  cell: (row, _, isSum) => (
    <Count of={restoring(row)} search={isSum ? undefined : { queue: row.name, phase: 'restoring' }} />
  ),
};
/** What the order by trouble looks at. */
const OVERDUE_NOW: Column = {
  label: OVERDUE,
  of: 'running',
  figureOf: ({ overdue }) => overdue,
  cell: ({ name, overdue }, _, isSum) => (
    <Count
      of={overdue}
      search={isSum ? undefined : { queue: name, phase: 'running', sort: '-unsaved', saved: 'late' }}
      tone="warn"
    />
  ),
};
/** They would begin again. As many as the list of them has: also those that have only just begun. */
const NEVER_SAVED_NOW: Column = {
  label: NEVER_SAVED,
  of: 'running',
  figureOf: ({ neverSaved }) => neverSaved,
  cell: ({ name, neverSaved, neverSavedLate }, _, isSum) => (
    <Count
      of={neverSaved}
      search={isSum ? undefined : { queue: name, phase: 'running', sort: '-unsaved', saved: 'never' }}
      tone={neverSavedLate > 0 ? 'bad' : undefined}
      note={
        neverSavedLate > 0 && neverSavedLate < neverSaved ? `${countText(neverSavedLate)} of them overdue` : undefined
      }
    />
  ),
};
const FAILED_OF_ENDED: Column = {
  label: FAILED_SHARE,
  of: 'failed',
  where: 'at-desk',
  figureOf: ({ failed, ended }) => (ended === 0 ? 0 : failed / ended),
  cell: ({ failed, ended }) =>
    failed === 0 ? <span className="muted">{percentText(failed, ended)}</span> : percentText(failed, ended),
};
/** What does not go on by itself, besides what is stranded. */
const STUCK_NOW: Column = {
  label: 'Stuck',
  of: 'unrestored',
  figureOf: stuck,
  cell: (row, _, isSum) => (
    <Count of={stuck(row)} search={isSum ? undefined : stuckSearch(row)} tone="bad" note={stuckNote(row)} />
  ),
};
const AT_RISK_NOW: Column = {
  label: MOST_UNSAVED,
  of: 'running',
  figureOf: ({ atRisk }) => atRisk?.unsavedSeconds ?? 0,
  cell: ({ atRisk }, { intervalSeconds }) =>
    atRisk === undefined ? (
      <span className="muted">–</span>
    ) : (
      <Link
        to="/job"
        search={{ id: atRisk.id }}
        title={atRisk.isNeverSaved ? `${atRisk.id}, never saved` : atRisk.id}
        className={riskTone(atRisk, intervalSeconds) || 'ink'}
      >
        {spanText(atRisk.unsavedSeconds)}
      </Link>
    ),
};
const FAILED_IN_RANGE: Column = {
  label: 'Failed',
  of: 'failed',
  figureOf: ({ failed }) => failed,
  cell: ({ name, failed }, { within }, isSum) => (
    <Count of={failed} search={isSum || within === undefined ? undefined : failedListOf(within, name)} tone="bad" />
  ),
};
export const COLUMNS: readonly Column[] = [
  ofPhase('running', 'Running'),
  { ...ofPhase('starting', 'Starting'), where: 'at-desk' },
  RESTORING_NOW,
  STUCK_NOW,
  ofPhase('stranded', 'Stranded', 'bad'),
  AT_RISK_NOW,
  OVERDUE_NOW,
  NEVER_SAVED_NOW,
  { ...ofRange('jobSubmitted', 'Submitted', countText), where: 'at-desk' },
  FAILED_IN_RANGE,
  FAILED_OF_ENDED,
  { ...ofRange('checkpointFailure', CHECKPOINTS_FAILED, countText), where: 'at-desk' },
  { ...ofRange('spotProtection', RESTORED, countText), where: 'at-desk' },
  { ...ofRange('coreTime', CORE_HOURS, (seconds) => tenthsText(seconds / 3600)), where: 'at-desk' },
  ofMoney(costUsd, COST),
  { ...ofMoney(savedUsd, 'Saved'), where: 'at-desk' },
];
/** What a window between a phone and a desk leaves out as well. */
export const AT_DESK: readonly string[] = COLUMNS.filter(({ where }) => where === 'at-desk').map(({ label }) => label);
/** The others are sums of the range. */
export const ARE_NOW: readonly Column['of'][] = ['now', 'unrestored', 'restoring', 'running'];

/** As the list of them: a job whose restore failed is listed apart. */
function restoring({ phases, unrestored }: QueueRow): number {
  return Math.max(0, (phases?.restoring ?? 0) - unrestored);
}

function stuck({ unrestored, unready, unstarted }: QueueRow): number {
  return unrestored + unready + unstarted;
}

/** The list that has them; where they have not one status, that of the queue, which has those in trouble first. */
function stuckSearch({ name, unrestored, unready, unstarted }: QueueRow): Partial<JobFilter> {
  const queue = name;
  if (unstarted === 0 && unready === 0) return { queue, phase: 'restoring', status: RESTORE_FAILED };
  if (unstarted === 0 && unrestored === 0) return { queue, phase: 'restoring', status: RESTORE_UNREADY };
  if (unready === 0 && unrestored === 0) return { queue, phase: 'starting', status: START_UNREADY };
  return unstarted === 0 ? { queue, phase: 'restoring' } : { queue };
}

function stuckNote({ unrestored, unready, unstarted }: QueueRow): string | undefined {
  const unmounted = unready + unstarted;
  const parts = [
    unrestored > 0 ? `${countText(unrestored)} failed to restore` : '',
    unmounted > 0 ? `${countText(unmounted)} without a volume` : '',
  ];
  return parts.filter(Boolean).join(', ') || undefined;
}

function ofPhase(phase: Phase, label: string, tone?: 'bad'): Column {
  const figureOf = ({ phases }: QueueRow): number => phases?.[phase] ?? 0;
  return {
    label,
    of: 'now',
    figureOf,
    cell: (row, _, isSum) => (
      <Count of={figureOf(row)} search={isSum ? undefined : { queue: row.name, phase }} tone={tone} />
    ),
  };
}

function ofRange(metric: string, label: string, format: (value: number) => string): Column {
  const figureOf = ({ values }: QueueRow): number => values.get(metric) ?? 0;
  return {
    label,
    of: 'range',
    figureOf,
    cell: (row) => (figureOf(row) === 0 ? <span className="muted">{format(0)}</span> : format(figureOf(row))),
  };
}

function ofMoney(usdOf: typeof costUsd, label: string): Column {
  const knownOf = ({ values }: QueueRow): number | undefined => usdOf((metric) => values.get(metric) ?? 0);
  return {
    label,
    of: 'range',
    where: 'off-phone',
    figureOf: (row) => knownOf(row) ?? 0,
    cell: (row) => {
      const usd = knownOf(row);
      return usd === undefined ? 'Unknown' : centsText(usd);
    },
  };
}

interface CountProps {
  readonly of: number;
  /** Of the list of jobs. */
  readonly search: (Partial<JobFilter> & { readonly saved?: Saved }) | undefined;
  readonly tone?: 'bad' | 'warn' | undefined;
  readonly note?: string | undefined;
}

/** Of many zeros the others stand out. */
function Count({ of: count, search, tone, note }: CountProps): ReactNode {
  if (count === 0) return <span className="muted">0</span>;
  if (search === undefined)
    return (
      <span className={tone} title={note}>
        {countText(count)}
      </span>
    );
  return (
    <Link to="/jobs" search={search} className={tone ?? 'ink'} title={note}>
      {countText(count)}
    </Link>
  );
}
