/** Reclaims by zone, by instance type or by both, with those that each had for a day that a node ran. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { Select } from '../../controls/select.tsx';
import { type Order, ordered, SortHeading } from '../../controls/sort-heading.tsx';
import { countText } from '../../parts/format.ts';
import { StackTable } from '../../parts/stack-table.tsx';
import { timeZone } from '../../preferences/preferences.ts';
import { spotNodesQuery } from '../../queries/nodes.ts';
import { configQuery } from '../../queries/server.ts';
import { boundsOf, type Range, whenText } from '../../range/range.ts';
import { ANY, type Grouping, goodbyes, grouped, type ReclaimRow, reclaimsPerDay } from './reclaims.ts';
import { lostInRangeQuery, lostWithin } from './reclaims-query.ts';

export interface ByPlaceProps {
  readonly rows: readonly ReclaimRow[];
  /** Whether there are nodes that were not read. */
  readonly hasMore: boolean;
  readonly range: Range;
}

export function ByPlace({ rows, hasMore, range }: ByPlaceProps): ReactNode {
  const [order, setOrder] = useState<Order>({ column: RECLAIMS_COLUMN, isDescending: true });
  const [by, setBy] = useState<Grouping>('zone');
  const groups = grouped(rows, by);
  const figureOf = COLUMNS[order.column]?.figureOf;
  const sorted = figureOf ? ordered(groups, order.isDescending, figureOf) : groups;
  const [isAll, setAll] = useState(false);
  const struck = sorted.filter(({ noticed, silent }) => noticed + silent > 0);
  const shown = isAll ? sorted : struck;
  return (
    <section className="panel" aria-labelledby="reclaims">
      <div className="panel-head">
        <h2 id="reclaims">
          Where nodes were reclaimed <span className="muted">{whenText(range)}</span>
        </h2>
        <Select
          label="Rows"
          options={GROUPINGS.map((value) => ({ value, label: HEADINGS[value] }))}
          value={by}
          onChange={(name) => setBy(GROUPINGS.find((one) => one === name) ?? 'zone')}
        />
      </div>
      {shown.length === 0 ? (
        <p className="muted">No {by === 'instanceType' ? 'instance type' : 'zone'} had a reclaim.</p>
      ) : (
        <StackTable label="Spot reclaims" className="wrapped-heads reclaim-rows">
          <thead>
            <tr>
              {COLUMNS.map(({ label, className, title }, i) =>
                NOT_BY[by] === label ? null : (
                  <SortHeading
                    key={label}
                    label={label}
                    column={i}
                    order={order}
                    onOrder={setOrder}
                    isName={i < NAME_COLUMNS}
                    {...(className ? { className } : {})}
                    {...(title ? { title } : {})}
                  />
                ),
              )}
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <Row key={`${row.zone} ${row.instanceType}`} row={row} by={by} range={range} />
            ))}
          </tbody>
        </StackTable>
      )}
      {shown.length < groups.length ? (
        <div className={shown.length > 0 ? 'table-more' : undefined}>
          <button type="button" className="compact" onClick={() => setAll(true)}>
            Show {countText(groups.length - shown.length)} without a reclaim
          </button>
        </div>
      ) : null}
      <p className="muted small" hidden={shown.length === 0}>
        Reclaims per node-day: reclaims divided by the days that nodes ran. A lost node that comes back was not
        reclaimed and no longer counts. Lost nodes are kept for 30 days
        {hasMore ? '; only the newest 10,000 spot nodes are counted' : ''}.
      </p>
      <Unwatched />
      <NotCounted range={range} />
      <Goodbyes range={range} />
    </section>
  );
}

const HEADINGS: Readonly<Record<Grouping, string>> = {
  zone: 'By zone',
  instanceType: 'By instance type',
  both: 'By zone and instance type',
};
const GROUPINGS = Object.keys(HEADINGS) as readonly Grouping[];

/** What all rows have alike has no column. */
const NOT_BY: Readonly<Record<Grouping, string>> = { zone: 'Instance type', instanceType: 'Zone', both: '' };

interface Column {
  readonly label: string;
  readonly figureOf: (row: ReclaimRow) => number | string;
  readonly className?: string;
  readonly title?: string;
}

const COLUMNS: readonly Column[] = [
  { label: 'Zone', figureOf: ({ zone }) => zone },
  { label: 'Instance type', figureOf: ({ instanceType }) => instanceType, className: 'left' },
  { label: 'Running now', figureOf: ({ running }) => running },
  { label: 'Reclaims', figureOf: ({ noticed, silent }) => noticed + silent },
  { label: 'With notice', figureOf: ({ noticed }) => noticed },
  { label: 'Without notice', figureOf: ({ silent }) => silent },
  {
    label: 'Reclaims per node-day',
    // What is not known comes last.
    figureOf: (row) => reclaimsPerDay(row) ?? -1,
    title: 'Reclaims divided by the days that nodes ran',
  },
];
/** The first ones; the others are figures. */
const NAME_COLUMNS = 2;
const RECLAIMS_COLUMN = 3;

/** Why nodes may go without notice. */
function Unwatched(): ReactNode {
  const { data } = useQuery(configQuery);
  if (!data || data.ckpt.cloudMonitorMode) return null;
  return (
    <p className="muted small">
      Agents watch for no notices of the cloud: <em>Watch for spot interruptions</em> is off in{' '}
      <Link to="/settings" search={{ tab: 'ckpt' }}>
        Settings
      </Link>
      .
    </p>
  );
}

/** Other pages count every node that was lost: why there are fewer here. */
function NotCounted({ range }: { range: Range }): ReactNode {
  const { data } = useQuery(lostInRangeQuery(range));
  if (!data || data.others === 0) return null;
  const { lost, others, startMs, endMs } = data;
  return (
    <p className="muted small">
      <Link to="/nodes" search={lostWithin(startMs, endMs)}>
        {countText(lost)} {lost === 1 ? 'node was' : 'nodes were'} lost {whenText(range)}
      </Link>
      ; {countText(others)} {others === 1 ? 'was not a spot node and is' : 'were not spot nodes and are'} not counted
      here.
    </p>
  );
}

/** Nodes that are gone, too, but that nobody took. */
function Goodbyes({ range }: { range: Range }): ReactNode {
  const { data } = useQuery(spotNodesQuery);
  const { startMs, endMs } = boundsOf(range, Date.now(), timeZone.current());
  const left = goodbyes(data?.rows ?? [], startMs, endMs);
  if (left === 0) return null;
  return (
    <p className="muted small">
      <Link to="/nodes" search={{ state: 'deregistered', payType: 'Spot', ...heartbeatsWithin(range) }}>
        {countText(left)} spot {left === 1 ? 'node' : 'nodes'}
      </Link>{' '}
      deregistered without a notice of the cloud {whenText(range)} and {left === 1 ? 'is' : 'are'} not counted here.
    </p>
  );
}

function heartbeatsWithin(range: Range): Readonly<Record<string, string>> {
  const nowMs = Date.now();
  const { startMs, endMs } = boundsOf(range, nowMs, timeZone.current());
  return {
    heartbeatAfter: new Date(startMs).toISOString(),
    ...(endMs > nowMs ? {} : { heartbeatBefore: new Date(endMs).toISOString() }),
  };
}

/** Of many zeros the others stand out. */
function Count(props: { label: string; of: number; search: Readonly<Record<string, string>> | undefined }): ReactNode {
  const { label, of, search } = props;
  return (
    <td data-label={label} className={of === 0 ? 'muted' : ''}>
      {of === 0 || search === undefined ? (
        countText(of)
      ) : (
        <Link to="/nodes" search={search} className="ink">
          {countText(of)}
        </Link>
      )}
    </td>
  );
}

function Row({ row, by, range }: { row: ReclaimRow; by: Grouping; range: Range }): ReactNode {
  const { zone, instanceType, running, noticed, silent } = row;
  const gone = noticed + silent;
  const perDay = reclaimsPerDay(row);
  const isNamed = (name: string): boolean => name !== '' && name !== ANY;
  const of = { ...(isNamed(zone) ? { zone } : {}), ...(isNamed(instanceType) ? { instanceType } : {}) };
  // The list has no filter for what is unknown, and none for notices.
  const spot = zone && instanceType ? { ...of, payType: 'Spot' } : undefined;
  const silentOnes = spot && noticed === 0 ? { ...spot, state: 'lost', ...heartbeatsWithin(range) } : undefined;
  return (
    <tr>
      <th scope="row">
        <Link to="/nodes" search={{ ...of, state: 'all' }}>
          {(by === 'instanceType' ? instanceType : zone) || 'unknown'}
        </Link>
      </th>
      {by === 'both' ? (
        <td className="left" data-label="Instance type">
          <Link to="/nodes" search={{ ...of, state: 'all' }} className="ink">
            {instanceType || 'unknown'}
          </Link>
        </td>
      ) : null}
      <Count label="Running now" of={running} search={spot} />
      <Count label="Reclaims" of={gone} search={undefined} />
      <Count label="With notice" of={noticed} search={undefined} />
      <Count label="Without notice" of={silent} search={silentOnes} />
      <td data-label="Reclaims per node-day" className={gone === 0 ? 'muted' : ''}>
        {perDay === undefined ? '–' : perDay.toFixed(2)}
      </td>
    </tr>
  );
}
