/** One row a queue: what is in it now, and what it did in the range; those in trouble first. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useNarrow } from '../../browser/narrow.ts';
import { type Order, ordered, SortHeading } from '../../controls/sort-heading.tsx';
import { capitalized, countText } from '../../parts/format.ts';
import { useSettled } from '../../parts/settled.ts';
import { StackTable } from '../../parts/stack-table.tsx';
import { Answered, type Asked, Empty, Failure, isAsking, Loading, missingText } from '../../parts/states.tsx';
import { queuesQuery, runningJobsQuery } from '../../queries/jobs.ts';
import { useSaveInterval } from '../../queries/save-interval.ts';
import { strandedWorkQuery, unrestoredQuery } from '../../queries/troubles.ts';
import { type Range, searchOf, shortWhenText } from '../../range/range.ts';
import {
  ARE_NOW,
  AT_DESK,
  COLUMNS,
  COST,
  type Column,
  type Known,
  LOST_FIRST,
  LOST_LAST,
  LOST_NEXT,
  MOST_UNSAVED,
  NEVER_SAVED,
  ON_PAGE_ONLY,
  OVERDUE,
} from './queue-columns.tsx';
import { byShown, type QueueRow, queueRows, sumOfRows } from './queue-rows.ts';
import { type RangeSummary, rangeFailedQuery } from './range-queries.ts';
import { queueTotals } from './totals.ts';

interface QueueTableProps {
  /** What the queues did in the range. */
  readonly sums: Asked<RangeSummary>;
  /** `in the last 24 hours` */
  readonly when: string;
  readonly range: Range;
  /** Only queues whose names have it, on the page of all queues; absent on the overview, which shows the first ones. */
  readonly words?: string;
  /** As the address has it; where it is not kept there, the table keeps it itself. */
  readonly sort?: string | undefined;
  readonly onSort?: (sort: string) => void;
}

/** Rows of the overview: its last panel is no list of hundreds, and on a phone each row takes as much as three. */
const ROWS_MAX = { wide: 15, narrow: 5 };
/** As the rows come: those in trouble first. */
const BY_TROUBLE: Order = { column: -1, isDescending: true };

/** All rows, what else is needed to show them, and the columns of which something is known. */
function useQueueRows(sums: Asked<RangeSummary>, range: Range) {
  const failures = useQuery(rangeFailedQuery(range));
  const unrestored = useQuery(unrestoredQuery);
  const running = useQuery(runningJobsQuery);
  const intervalSeconds = useSaveInterval();
  const query = useQuery(queuesQuery);
  const isAnyStranded = query.data?.some(({ phases }) => phases.stranded > 0) === true;
  const stranded = useQuery({ ...strandedWorkQuery, enabled: isAnyStranded });
  // Rows that come with another answer would push down those that are there.
  const isSettled = useSettled(
    [failures, unrestored, query, { isPending: !sums.data && !sums.error, fetchStatus: 'fetching', ...sums }].some(
      isAsking,
    ),
  );
  const rows = queueRows({
    queues: query.data ?? [],
    totals: sums.data ? queueTotals(sums.data.summary) : [],
    failed: failures.data?.now.counts ?? {},
    ended: failures.data?.ended.counts ?? {},
    unrestored: unrestored.data?.failed.counts ?? {},
    unready: unrestored.data?.unready.counts ?? {},
    unstarted: unrestored.data?.unstarted.counts ?? {},
    running: running.data?.rows ?? [],
    stranded: stranded.data?.jobs ?? [],
    intervalSeconds,
  });
  // A figure that is not known is no 0.
  const missing = (asked: Asked<unknown>): string | undefined => (isKnown(asked) ? undefined : missingText(asked));
  const known: Known = {
    missing: {
      now: missing(query),
      unrestored: missing(unrestored),
      restoring: missing(unrestored) ?? missing(query),
      running: missing(running),
      range: missing(sums),
      failed: missing(failures),
    },
    within: failures.data?.within,
    intervalSeconds,
    when: shortWhenText(range),
  };
  // Of more jobs than were read, the one with the most may be another; where none is saved by itself, none is overdue.
  const untold = [
    ...(running.data?.hasMore ? [MOST_UNSAVED, OVERDUE, NEVER_SAVED] : []),
    ...(intervalSeconds === undefined ? [OVERDUE, NEVER_SAVED] : []),
  ];
  const columns = COLUMNS.filter(({ label }) => !untold.includes(label));
  const unread = [query, unrestored, running, failures, sums].filter(
    (asked) => !isKnown(asked) && (asked.errorUpdateCount ?? 0) > 0,
  );
  return { query, isSettled, rows, known, columns, unread };
}

/** Figures of the range before stand in for those of another one until these come: under its name they would be wrong. */
function isKnown({ data, isPlaceholderData }: Asked<unknown>): boolean {
  return data !== undefined && isPlaceholderData !== true;
}

/** Rather fewer columns than figures off the edge of the window. */
function useLeftOut(isOverview: boolean): readonly string[] {
  const [isTight, isFull, isLong] = [useNarrow('table'), useNarrow('figures'), useNarrow('queues')];
  const [isTablet, isSmall] = [useNarrow('desk'), useNarrow('cost')];
  const offDesk = isTablet ? AT_DESK : [];
  if (isOverview) return [...ON_PAGE_ONLY, ...(isTight ? [...LOST_FIRST, 'Starting'] : []), ...offDesk];
  return [
    ...(isLong ? LOST_FIRST : []),
    ...(isFull ? LOST_NEXT : []),
    ...(isTight ? LOST_LAST : []),
    ...offDesk,
    ...(isSmall ? [COST] : []),
  ];
}

export function QueueTable({ sums, when, range, words, sort, onSort }: QueueTableProps): ReactNode {
  const { query, isSettled, rows: unsorted, known, columns: wide, unread } = useQueueRows(sums, range);
  const leftOut = useLeftOut(words === undefined);
  const columns = wide.filter(({ label }) => !leftOut.includes(label));
  const [own, setOwn] = useState<Order>(BY_TROUBLE);
  const order = onSort ? orderOf(sort) : own;
  const setOrder = onSort ? (next: Order) => onSort(sortOf(next)) : setOwn;
  // The page of all queues shows more, and orders them by it.
  const inTrouble = words === undefined ? unsorted.toSorted(byShown) : unsorted;
  const all = sorted(inTrouble, order);
  const wanted = words?.toLowerCase();
  const found = wanted === undefined ? all : all.filter(({ name }) => name.toLowerCase().includes(wanted));
  const most = ROWS_MAX[useNarrow() ? 'narrow' : 'wide'];
  // A button that shows one row takes as much room as the row.
  const rows = wanted === undefined && found.length > most + 1 ? found.slice(0, most) : found;
  return (
    <section className="panel" aria-label="Queues">
      {words === undefined ? (
        <div className="panel-head">
          <h2>
            Queues <span className="muted">stuck first, then the most unsaved work</span>
          </h2>
          <Link to="/queues" search={searchOf(range)} className="small">
            Show all{all.length > rows.length ? ` ${countText(all.length)}` : ''}
          </Link>
        </div>
      ) : null}
      {/* The overview has said so above. */}
      {words === undefined ? null : <Unread asked={unread} />}
      {!isSettled ? (
        <Loading what="queues" />
      ) : rows.length === 0 ? (
        <Answered query={query} what="queues">
          {() => <NoQueue isSearched={Boolean(wanted)} />}
        </Answered>
      ) : (
        <StackTable label="Queues" className="wrapped-heads queue-table" opensRows>
          <Heads columns={columns} when={when} short={known.when} order={order} onOrder={setOrder} />
          <tbody>
            {rows.map((row) => (
              <tr key={row.name}>
                <th scope="row">
                  <Link to="/queue" search={{ name: row.name, ...searchOf(range) }} title={row.name}>
                    {row.name}
                  </Link>
                </th>
                <Cells row={row} columns={columns} known={known} />
              </tr>
            ))}
          </tbody>
          {found.length > 1 ? (
            <tfoot>
              <tr>
                <th scope="row">{countText(found.length)} queues</th>
                <Cells row={sumOfRows(found)} columns={columns} known={known} isSum />
              </tr>
            </tfoot>
          ) : null}
        </StackTable>
      )}
    </section>
  );
}

function NoQueue({ isSearched }: { isSearched: boolean }): ReactNode {
  return isSearched ? (
    <Empty title="No queue has that name">
      <Link to="/queues" search={(before) => ({ ...before, q: undefined })}>
        Show all queues
      </Link>
    </Empty>
  ) : (
    <Empty title="No queues yet">
      <p className="muted">A queue appears with its first job.</p>
      <Link to="/nodes">Connect a worker</Link>
    </Empty>
  );
}

/** Why figures are missing, while the rest is there. */
function Unread({ asked }: { asked: readonly Asked<unknown>[] }): ReactNode {
  const [first] = asked;
  if (first === undefined) return null;
  return (
    <Failure
      error={first.error ?? 'The server gave no answer.'}
      what="all figures"
      isSlim
      retry={() => {
        for (const one of asked) void one.refetch?.();
      }}
    />
  );
}

/** So many columns have room for the name of a range above them. */
const FEW = 3;

interface HeadsProps {
  readonly columns: readonly Column[];
  readonly when: string;
  /** The same above few columns. */
  readonly short: string;
  readonly order: Order;
  readonly onOrder: (order: Order) => void;
}

function Heads({ columns, when, short, order, onOrder }: HeadsProps): ReactNode {
  const now = columns.filter(({ of }) => ARE_NOW.includes(of)).length;
  const others = columns.length - now;
  return (
    <thead>
      <tr className="column-groups">
        <td />
        <th scope="colgroup" colSpan={now}>
          Now
        </th>
        <th scope="colgroup" colSpan={others}>
          {capitalized(others < FEW ? short.replace(/^in (?=\d)/, 'in\u00a0') : when)}
        </th>
      </tr>
      <tr>
        <SortHeading label="Queue" column={COLUMNS.length} order={order} onOrder={onOrder} isName />
        {columns.map((column) => (
          <SortHeading
            key={column.label}
            label={column.label.replace(' of ', ' of\u00a0')}
            column={COLUMNS.indexOf(column)}
            order={order}
            onOrder={onOrder}
            {...(column.where ? { className: column.where } : {})}
          />
        ))}
      </tr>
    </thead>
  );
}

interface CellsProps {
  readonly row: QueueRow;
  readonly columns: readonly Column[];
  readonly known: Known;
  readonly isSum?: boolean;
}

function Cells({ row, columns, known, isSum = false }: CellsProps): ReactNode {
  return columns.map(({ label, of, where, cell }) => (
    <td key={label} data-label={ARE_NOW.includes(of) ? label : `${label} ${known.when}`} className={where}>
      {known.missing[of] ?? cell(row, known, isSum)}
    </td>
  ));
}

/** `-most-unsaved`, of the column Most unsaved. */
function sortOf({ column, isDescending }: Order): string {
  return `${isDescending ? '-' : ''}${nameOf(COLUMNS[column])}`;
}

function orderOf(sort: string | undefined): Order {
  if (sort === undefined) return BY_TROUBLE;
  const column = COLUMNS.findIndex((one) => nameOf(one) === sort.replace(/^-/, ''));
  return { column: column < 0 ? COLUMNS.length : column, isDescending: sort.startsWith('-') };
}

/** Of a column in an address; of the names of queues, where there is none. */
function nameOf(column: Column | undefined): string {
  return (column?.label ?? 'Queue').toLowerCase().replaceAll(' ', '-');
}

/** Equals stay as the rows come. */
function sorted(rows: readonly QueueRow[], { column, isDescending }: Order): readonly QueueRow[] {
  if (column === BY_TROUBLE.column) return rows;
  return ordered(rows, isDescending, COLUMNS[column]?.figureOf ?? (({ name }) => name));
}
