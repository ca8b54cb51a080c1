/** The columns of a list of jobs: of those that run, what they stand to lose; of those that do not, why. */
import type { ReactNode } from 'react';
import { PHASES } from '../../../../src/protocol/phase.ts';
import type { JobRow } from '../../api/queries.ts';
import { ListLink } from '../../names/list-link.tsx';
import { LongId } from '../../names/long-id.tsx';
import { NodeLink } from '../../names/node-link.tsx';
import { Badge, jobState } from '../../parts/badge.tsx';
import { countText, spanText, wordsOf } from '../../parts/format.ts';
import type { Column } from '../../parts/table.tsx';
import { Age } from '../../parts/time.tsx';
import { Duration } from './duration.tsx';

const ALL: readonly Column<JobRow>[] = [
  {
    id: 'id',
    label: 'Job',
    width: 'minmax(10.5rem, 1.5fr)',
    sort: 'id',
    cell: ({ id, name }) => (
      <>
        <ListLink to="/job" search={{ id }} title={name ? `${id} · ${name}` : id}>
          <LongId id={id} />
        </ListLink>
        {name && name !== id ? <span className="muted small job-name"> {name}</span> : null}
      </>
    ),
  },
  { id: 'phase', label: 'Phase', width: '6.75rem', cell: (job) => <Badge state={jobState(job)} /> },
  {
    id: 'updated',
    label: 'Last event',
    width: '14.25rem',
    sort: 'updatedAt',
    inCard: true,
    cell: ({ status, updatedAt, lastEventDetail }) => (
      <span className="last-event" title={lastEventDetail ?? undefined}>
        <span className="last-event-name">{wordsOf(status)} </span>
        <Age of={updatedAt} />
      </span>
    ),
  },
  { id: 'queue', label: 'Queue', width: 'minmax(8rem, 1.3fr)', yields: 5, sort: 'queueName', cell: queueCell },
  {
    id: 'node',
    label: 'Node',
    width: 'minmax(8.5rem, 1.1fr)',
    yields: 3,
    sort: 'nodeOid',
    cell: ({ nodeOid }) => <NodeLink oid={nodeOid} />,
  },
  { id: 'restores', label: 'Restores', width: '4.9rem', yields: 1, isNumber: true, cell: restoresCell },
  {
    id: 'duration',
    label: 'Duration',
    width: '5.9rem',
    yields: 4,
    isNumber: true,
    cell: (job) => <Duration job={job} />,
  },
  {
    id: 'unsaved',
    label: 'Unsaved',
    width: '5.9rem',
    sort: 'unsaved',
    isGreatestFirst: true,
    isNumber: true,
    inCard: 'labelled',
    cell: ({ workAtRisk }) => (workAtRisk === null ? '' : spanText(workAtRisk)),
  },
  {
    id: 'checkpoint',
    label: 'Last checkpoint',
    width: '7.85rem',
    yields: 2,
    isNumber: true,
    cell: lastCheckpointCell,
  },
];

function queueCell({ queueName }: JobRow): ReactNode {
  return (
    <ListLink to="/queue" search={{ name: queueName }} title={queueName}>
      <LongId id={queueName} />
    </ListLink>
  );
}

/** Of a job that moved to another node since, it may not be known. */
function lastCheckpointCell({ lastCheckpointAt, workAtRisk, spotProtCount }: JobRow): ReactNode {
  if (lastCheckpointAt !== null) return <Age of={lastCheckpointAt} />;
  if (workAtRisk === null) return '';
  return spotProtCount === 0 ? 'never' : '–';
}

/** Of many zeros the others stand out. */
function restoresCell({ spotProtCount }: JobRow): ReactNode {
  return spotProtCount === 0 ? <span className="muted">0</span> : countText(spotProtCount);
}

/** Phases whose jobs do not run, for a reason. */
const WITH_REASON: readonly string[] = PHASES.filter((phase) => ['restoring', 'failed', 'stopped'].includes(phase));

const REASON: Column<JobRow> = {
  id: 'reason',
  label: 'Reason',
  width: 'minmax(13rem, 2.2fr)',
  inCard: true,
  cell: ({ lastEventDetail }) =>
    lastEventDetail === null ? (
      <span className="muted">–</span>
    ) : (
      <span title={lastEventDetail}>{lastEventDetail}</span>
    ),
};
const SINCE: Column<JobRow> = {
  id: 'since',
  label: 'Since',
  width: '7.5rem',
  sort: 'updatedAt',
  isGreatestFirst: true,
  inCard: 'right',
  cell: ({ updatedAt }) => <Age of={updatedAt} />,
};

const OF_REASONS: readonly Column<JobRow>[] = ALL.flatMap((column) => {
  if (column.id === 'updated') return [REASON, SINCE];
  return column.id === 'unsaved' || column.id === 'checkpoint' ? [] : [column];
});

/** `phase`: what the list is restricted to, as its address has it. */
export function jobColumns(phase: string | undefined): readonly Column<JobRow>[] {
  return phase?.split(',').every((name) => WITH_REASON.includes(name)) ? OF_REASONS : ALL;
}
