/** The columns of a list of jobs: of those that run, what they stand to lose; of those that do not, why. */
import type { ReactNode } from 'react';
import { reasonText } from '../../../../src/protocol/explain/job-circumstances.ts';
import type { Rooms } from '../../lists/needs.ts';
import { isNeverSaved } from '../../lists/risk-tone.ts';
import { JobName } from '../../names/job-name.tsx';
import { ListLink } from '../../names/list-link.tsx';
import { LongId } from '../../names/long-id.tsx';
import { NodeLink, useNodeOfList } from '../../names/node-link.tsx';
import { Badge, badgeText, jobState } from '../../parts/badge.tsx';
import { countText, lastEventText, wordsOf } from '../../parts/format.ts';
import {
  LAST_CHECKPOINT_TITLE,
  LastCheckpoint,
  LastEvent,
  LastEventInCard,
  tellsUnsaved,
  UNSAVED_TITLE,
  Unsaved,
} from '../../parts/job-facts.tsx';
import type { Column } from '../../parts/table.tsx';
import { Age, ageRoom } from '../../parts/time.tsx';
import { hasUnsaved, type JobRow, sinceOf, tellsReasons } from '../../queries/jobs.ts';
import { DurationInList } from './duration.tsx';

const ALL: readonly Column<JobRow>[] = [
  {
    id: 'id',
    label: 'Job',
    width: 'minmax(10.25rem, 1.5fr)',
    sort: 'id',
    cell: (job) => <JobName job={job} />,
  },
  { id: 'phase', label: 'Phase', width: '6.75rem', cell: (job) => <Badge state={jobState(job)} /> },
  {
    id: 'updated',
    label: 'Status',
    width: '14.25rem',
    sort: 'updatedAt',
    inCard: true,
    cell: (job) => <LastEvent job={job} />,
    cardCell: (job) => <LastEventInCard job={job} />,
  },
  { id: 'queue', label: 'Queue', width: 'minmax(7.75rem, 1.3fr)', yields: 5, sort: 'queueName', cell: queueCell },
  {
    id: 'node',
    label: 'Node',
    width: 'minmax(9rem, 1.1fr)',
    yields: 3,
    sort: 'nodeOid',
    cell: ({ nodeOid }) => <NodeLink oid={nodeOid} />,
  },
  {
    id: 'restores',
    label: 'Restores',
    width: '4.9rem',
    yields: 1,
    isSpare: true,
    isNumber: true,
    sort: 'restores',
    isGreatestFirst: true,
    cell: restoresCell,
  },
  {
    id: 'duration',
    label: 'Duration',
    width: '5.9rem',
    yields: 4,
    isNumber: true,
    sort: 'duration',
    isGreatestFirst: true,
    cell: (job) => <DurationInList job={job} />,
  },
  {
    id: 'unsaved',
    label: 'Unsaved',
    title: UNSAVED_TITLE,
    width: '5.9rem',
    sort: 'unsaved',
    isGreatestFirst: true,
    isNumber: true,
    inCard: 'labelled',
    cell: (job) => unsavedCell(job, undefined),
    // A card has no column that says it.
    cardLabel: (job) => (isNeverSaved(job) ? 'Never saved' : 'Unsaved'),
  },
  {
    id: 'checkpoint',
    label: 'Last checkpoint',
    title: LAST_CHECKPOINT_TITLE,
    width: '8.6rem',
    yields: 2,
    sort: 'lastCheckpoint',
    // Unsaved work tells as much, and whole ids tell more.
    isSpare: true,
    isNumber: true,
    cell: (job) => <LastCheckpoint job={job} />,
  },
];

/** Nothing at all of a job without a figure: a card has no label for it, either. */
function unsavedCell(job: JobRow, intervalSeconds: number | undefined): ReactNode {
  return tellsUnsaved(job) ? <Unsaved job={job} intervalSeconds={intervalSeconds} /> : '';
}

function queueCell({ queueName }: JobRow): ReactNode {
  return (
    <ListLink to="/queue" search={{ name: queueName }} title={queueName}>
      <LongId id={queueName} />
    </ListLink>
  );
}

/** Of many zeros the others stand out. */
function restoresCell({ spotProtCount }: JobRow): ReactNode {
  return spotProtCount === 0 ? <span className="muted">0</span> : countText(spotProtCount);
}

const REASON: Column<JobRow> = {
  id: 'reason',
  label: 'Reason',
  width: 'minmax(13rem, 2.2fr)',
  inCard: true,
  hasLines: true,
  cell: ({ lastEventDetail }) =>
    lastEventDetail ? (
      <span className="reason-text" title={reasonText(lastEventDetail)}>
        {reasonText(lastEventDetail)}
      </span>
    ) : (
      <span className="muted">–</span>
    ),
};

/** `inCard`: beside the id, or at the right of the second line. */
const since = (label: string, inCard: true | 'right'): Column<JobRow> => ({
  id: 'since',
  label,
  width: '7.5rem',
  sort: 'updatedAt',
  isGreatestFirst: true,
  inCard,
  cell: (job) => <Age of={sinceOf(job)} />,
});

/** On which node it was is asked sooner than for how long. */
const ENDED_YIELDS: Readonly<Record<string, number>> = { restores: 1, duration: 2, queue: 3, node: 4 };

/** Of jobs that do not run. What all of them are is in the heading of their time. */
const WITH_REASONS: Readonly<Record<string, readonly Column<JobRow>[]>> = {
  failed: reasonColumns([since('Failed', true), REASON]),
  stopped: reasonColumns([since('Stopped', true), REASON]),
  // What they go back to is still of use.
  restoring: mixedColumns(({ id }) => id === 'unsaved'),
};
const MIXED = mixedColumns(isOfRunning);

function mixedColumns(isLeftOut: (column: Column<JobRow>) => boolean): readonly Column<JobRow>[] {
  return ALL.flatMap((column) => {
    if (column.id === 'updated') return [REASON, since('Since', 'right')];
    return isLeftOut(column) ? [] : [column];
  });
}

function reasonColumns(own: readonly Column<JobRow>[]): readonly Column<JobRow>[] {
  return ALL.flatMap((column) => {
    if (column.id === 'phase') return own;
    if (column.id === 'updated' || isOfRunning(column)) return [];
    const yields = ENDED_YIELDS[column.id];
    return [yields === undefined ? column : { ...column, yields }];
  });
}

const SUCCEEDED = reasonColumns([since('Succeeded', true)]);
/** What has not run has nothing to lose. */
const STARTING = ALL.filter((column) => !isOfRunning(column));

function isOfRunning({ id }: Column<JobRow>): boolean {
  return id === 'unsaved' || id === 'checkpoint';
}

/** Of jobs whose nodes are gone: what they stand to lose, since when nothing goes on, and what became of the node. */
const STRANDED: readonly Column<JobRow>[] = ALL.flatMap((column): readonly Column<JobRow>[] => {
  if (column.id === 'phase') return ALL.filter(({ id }) => id === 'unsaved');
  if (column.id === 'duration')
    return [
      { id: 'gone', label: 'Node gone', width: '11rem', inCard: true, cell: (job) => <NodeGone job={job} /> },
      column,
    ];
  return ['unsaved', 'updated', 'restores'].includes(column.id) ? [] : [column];
});

/**
 * When it was deregistered, or declared lost: from then on the job is stranded. Of a node that the server does not know, the job's
 * own last event tells what is known.
 */
function NodeGone({ job }: { job: JobRow }): ReactNode {
  const node = useNodeOfList(job.nodeOid);
  const at = node?.endedAt ?? node?.lastHeartbeat;
  return (
    <span className="last-event">
      <span className="last-event-name">{node ? wordsOf(node.state) : 'Last event'} </span>
      <Age of={at ?? sinceOf(job)} />
    </span>
  );
}

/** Of a badge: its text is smaller than that of a row, and has edges. */
const BADGE_SHARE = 0.98;
const BADGE_EDGES_PX = 20;
/** The name of a longer event is cut; its age is not. */
const EVENT_MAX_PX = 236;
/** Of the name below an id. */
const NAME_SHARE = 0.86;

/** What the texts of a row need. `nodeLabel`: what is shown of its node. */
export function jobRooms(nodeLabel: (oid: string) => string): Rooms<JobRow> {
  return {
    id: ({ id, name = '' }, widthOf) => Math.max(widthOf(id), NAME_SHARE * widthOf(name)),
    phase: (job, widthOf) => BADGE_SHARE * widthOf(badgeText(jobState(job))) + BADGE_EDGES_PX,
    updated: (job, widthOf) => Math.min(EVENT_MAX_PX, widthOf(`${lastEventText(job.status)} ${ageRoom(sinceOf(job))}`)),
    gone: (_, widthOf) => widthOf('Deregistered 00 h 00 m ago'),
    since: (job, widthOf) => widthOf(ageRoom(sinceOf(job))),
    queue: ({ queueName }, widthOf) => widthOf(queueName),
    node: ({ nodeOid }, widthOf) => widthOf(nodeLabel(nodeOid)),
    reason: ({ lastEventDetail }, widthOf) => widthOf(reasonText(lastEventDetail ?? '')),
  };
}

/** As `jobColumns`. `intervalSeconds`: between two checkpoints of a job, by which unsaved work is much. */
export function tintedColumns(
  phase: string | undefined,
  intervalSeconds: number | undefined,
): readonly Column<JobRow>[] {
  const cell = (job: JobRow): ReactNode => unsavedCell(job, intervalSeconds);
  return jobColumns(phase).map((column) => (column.id === 'unsaved' ? { ...column, cell } : column));
}

/** All are in one phase; which of them would lose most, and with which node, comes before what else is known of them. */
const RUNNING_YIELDS: Readonly<Record<string, number>> = {
  phase: 0,
  restores: 1,
  duration: 2,
  queue: 3,
  checkpoint: 4,
  node: 5,
};
const RUNNING: readonly Column<JobRow>[] = ALL.map((column) => {
  const yields = RUNNING_YIELDS[column.id];
  const isSpare = column.id === 'phase' || column.id === 'restores';
  return yields === undefined ? column : { ...column, isSpare, yields };
});

/** Of jobs that have no unsaved work there is none to be sorted by. */
const UNSORTED: readonly Column<JobRow>[] = ALL.map((column) => {
  const { sort: _, ...unsorted } = column;
  return column.id === 'unsaved' ? unsorted : column;
});

/** `phase`: what the list is restricted to, as its address has it. */
export function jobColumns(phase: string | undefined): readonly Column<JobRow>[] {
  if (phase === 'stranded') return STRANDED;
  if (phase === 'succeeded') return SUCCEEDED;
  if (phase === 'starting') return STARTING;
  if (tellsReasons(phase)) return WITH_REASONS[phase ?? ''] ?? MIXED;
  if (phase === 'running') return RUNNING;
  return hasUnsaved(phase) ? ALL : UNSORTED;
}
