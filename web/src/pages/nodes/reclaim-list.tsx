/** Single reclaims: when, which node, after which notice, which jobs, and what that cost. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { Reclaim, ReclaimedJob, ReclaimList } from '../../../../src/protocol/lists/reclaim.ts';
import { type Order, ordered, SortHeading } from '../../controls/sort-heading.tsx';
import { hostLabel } from '../../names/host-label.ts';
import { ListLink } from '../../names/list-link.tsx';
import { NodeName } from '../../names/node-link.tsx';
import { countText, spanText } from '../../parts/format.ts';
import { StackTable } from '../../parts/stack-table.tsx';
import { LocalTime, zoneText } from '../../parts/time.tsx';
import { nodeNamesQuery } from '../../queries/nodes.ts';
import {
  costText,
  exactCostText,
  idleText,
  isAllAhead,
  isBad,
  isHere,
  noticeText,
  outcomeText,
  warningSeconds,
  warningText,
} from './reclaim-text.ts';

/** Rows at first, and jobs of each; the page of the node has all of its jobs. */
const ROWS_SHOWN = 20;
const JOBS_SHOWN = 3;

interface Column {
  readonly label: string;
  readonly figureOf: (reclaim: Reclaim) => number | string;
  readonly className?: string;
  readonly isName?: boolean;
}

const COLUMNS: readonly Column[] = [
  { label: 'Node', figureOf: ({ nodeId }) => nodeId, isName: true },
  { label: 'Last heartbeat', figureOf: ({ time }) => Date.parse(time), className: 'left' },
  // None is less than any.
  {
    label: 'Notice',
    figureOf: (reclaim) => warningSeconds(reclaim) ?? (reclaim.notice === null ? -1 : 0),
    className: 'left',
  },
  { label: 'Jobs', figureOf: ({ jobCount }) => jobCount, className: 'left' },
  { label: 'Work lost', figureOf: ({ repeatedSeconds }) => repeatedSeconds },
  { label: 'Cost', figureOf: ({ cost }) => cost },
];
const TIME = 1;
/** The first column that tells of jobs. */
const JOBS = 3;
const NEWEST: Order = { column: TIME, isDescending: true };

/** Those that interrupted jobs, the newest first; the others are one line. Of equals, the one with more work. */
export function ReclaimTable({ list, label }: { list: ReclaimList; label: string }): ReactNode {
  const [isAll, setAll] = useState(false);
  const [withIdle, setWithIdle] = useState(false);
  const [order, setOrder] = useState(NEWEST);
  const zone = zoneText();
  const { reclaims, totals, isComplete } = list;
  const byWork = ordered(reclaims, true, ({ repeatedSeconds }) => repeatedSeconds);
  const sorted = ordered(byWork, order.isDescending, COLUMNS[order.column]?.figureOf ?? (() => 0));
  const told = withIdle ? sorted : sorted.filter(({ jobCount }) => jobCount > 0);
  const shown = isAll ? told : told.slice(0, ROWS_SHOWN);
  // Where no job was interrupted there is nothing to tell of jobs.
  const isIdle = told.every(({ jobCount }) => jobCount === 0);
  const columns = isIdle ? COLUMNS.slice(0, JOBS) : COLUMNS;
  const notes = [
    isIdle ? '' : 'Work lost: run time on the node that no checkpoint held, at the price of the node that repeats it.',
    reclaims.length < totals.reclaims ? `The newest ${countText(reclaims.length)} are listed.` : '',
    isComplete ? '' : 'There were too many nodes or jobs to look at all: the oldest may be missing.',
  ]
    .filter(Boolean)
    .join(' ');
  const idle = reclaims.filter(({ jobCount }) => jobCount === 0);
  return (
    <>
      {told.length === 0 ? null : (
        <StackTable label={label} className="wrapped-heads taken-rows">
          <thead>
            <tr>
              {columns.map(({ label: name, className, isName = false }, i) => (
                <SortHeading
                  key={name}
                  label={i === TIME ? `${name} ${zone}` : name}
                  column={i}
                  order={order}
                  onOrder={setOrder}
                  isName={isName}
                  {...(className ? { className } : {})}
                />
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((reclaim) => (
              <Row key={reclaim.nodeId} reclaim={reclaim} zone={zone} isIdle={isIdle} />
            ))}
          </tbody>
        </StackTable>
      )}
      {shown.length < told.length ? (
        <div className="table-more">
          <button type="button" className="compact" onClick={() => setAll(true)}>
            Show {countText(told.length - shown.length)} more
          </button>
        </div>
      ) : null}
      {idle.length === 0 || withIdle ? null : (
        <div className="table-more">
          <span>{idleText(idle, told.length > 0)}</span>
          <button type="button" className="compact" onClick={() => setWithIdle(true)}>
            Show {idle.length === 1 ? 'it' : 'them'}
          </button>
        </div>
      )}
      {notes === '' ? null : <p className="muted small">{notes}</p>}
    </>
  );
}

function Row({ reclaim, zone, isIdle }: { reclaim: Reclaim; zone: string; isIdle: boolean }): ReactNode {
  const { nodeId, zone: place, instanceType, state, time, notice } = reclaim;
  const where = [place, instanceType].filter((part) => part !== '').join(' · ');
  return (
    <tr>
      <th scope="row">
        <ListLink to="/node" search={{ id: nodeId }} title={nodeId}>
          <NodeName id={nodeId} />
        </ListLink>
        {isHere(reclaim) ? (
          <span className="taken-where warn small">{state === 'late' ? 'not gone yet, late' : 'not gone yet'}</span>
        ) : null}
        {where === '' ? null : <span className="taken-where muted small">{where}</span>}
      </th>
      <td className="left taken-time" data-label="Last heartbeat">
        <LocalTime at={time} zoneKnown={zone} />{' '}
        <span className="taken-more">
          {zone} · {noticeText(reclaim)}
        </span>
      </td>
      <td className={notice === null ? 'left warn' : 'left'} data-label="Notice">
        {warningText(reclaim)}
      </td>
      {isIdle ? null : <Cost reclaim={reclaim} />}
    </tr>
  );
}

/** Which jobs it interrupted, and what that cost. */
function Cost({ reclaim }: { reclaim: Reclaim }): ReactNode {
  const { nodeId, state, jobs, jobCount, repeatedSeconds } = reclaim;
  const isAhead = isAllAhead(reclaim) || (isHere(reclaim) && repeatedSeconds === 0);
  return (
    <>
      <td className="left taken-jobs" data-label="Jobs">
        {jobCount === 0 ? <span className="muted">None</span> : <Jobs jobs={jobs.slice(0, JOBS_SHOWN)} state={state} />}
        {jobCount > JOBS_SHOWN ? (
          <Link to="/node" search={{ id: nodeId }} className="small">
            and {countText(jobCount - JOBS_SHOWN)} more
          </Link>
        ) : null}
      </td>
      <td data-label="Work lost" className={repeatedSeconds === 0 ? 'muted' : ''}>
        {isAhead ? '–' : spanText(repeatedSeconds)}
      </td>
      <td data-label="Cost" className={repeatedSeconds === 0 ? 'muted' : ''} title={exactCostText(reclaim)}>
        {isAhead ? '–' : costText(reclaim)}
      </td>
    </>
  );
}

function Jobs({ jobs, state }: { jobs: readonly ReclaimedJob[]; state: Reclaim['state'] }): ReactNode {
  return (
    <ul className="taken-list">
      {jobs.map((job) => (
        <li key={job.id}>
          <ListLink to="/job" search={{ id: job.id }}>
            {job.id}
          </ListLink>{' '}
          <Outcome job={job} state={state} />
        </li>
      ))}
    </ul>
  );
}

/** What became of the job, and where. `state`: of the node that is reclaimed. */
export function Outcome({ job, state }: { job: ReclaimedJob; state: Reclaim['state'] }): ReactNode {
  return (
    <>
      <span className={isBad(job) ? 'bad' : 'muted'}>{outcomeText(job, state)}</span>
      {job.nodeOid === null ? null : (
        <>
          {' '}
          <NodeText oid={job.nodeOid} />
        </>
      )}
    </>
  );
}

/** In a sentence: it is not cut. */
function NodeText({ oid }: { oid: string }): ReactNode {
  const { data: names } = useQuery(nodeNamesQuery);
  const id = names?.get(oid)?.id ?? oid;
  return (
    <ListLink to="/node" search={{ id }} title={id}>
      {hostLabel(id)}
    </ListLink>
  );
}
