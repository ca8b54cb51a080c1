/** One row a queue: what is in it now, and what it did in the range; those in trouble first. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { Phase } from '../../../../src/protocol/phase.ts';
import { useNarrow } from '../../browser/narrow.ts';
import { type Order, ordered, SortHeading } from '../../controls/sort-heading.tsx';
import { RESTORE_FAILED, type Within } from '../../lists/counted.ts';
import { failedListOf } from '../../lists/list-links.ts';
import { riskTone } from '../../lists/risk-tone.ts';
import { capitalized, centsText, countText, percentText, spanText, tenthsText } from '../../parts/format.ts';
import { useSettled } from '../../parts/settled.ts';
import { StackTable } from '../../parts/stack-table.tsx';
import { Answered, type Asked, Empty, isAsking, Loading, missingText } from '../../parts/states.tsx';
import { type JobFilter, queuesQuery, runningJobsQuery } from '../../queries/jobs.ts';
import { useSaveInterval } from '../../queries/save-interval.ts';
import { strandedWorkQuery, unrestoredQuery } from '../../queries/troubles.ts';
import { type Range, searchOf, shortWhenText } from '../../range/range.ts';
import { type QueueRow, queueRows, sumOfRows } from './queue-rows.ts';
import { type RangeSummary, rangeFailedQuery } from './range-queries.ts';
import { costUsd, queueTotals, savedUsd } from './totals.ts';

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
    unrestored: unrestored.data?.counts ?? {},
    running: running.data?.rows ?? [],
    stranded: stranded.data?.jobs ?? [],
    intervalSeconds,
  });
  // A figure that is not known is no 0.
  const missing = (asked: Asked<unknown>): string | undefined => (asked.data ? undefined : missingText(asked));
  const known: Known = {
    missing: {
      now: missing(query),
      unrestored: missing(unrestored),
      running: missing(running),
      range: missing(sums),
      failed: missing(failures),
    },
    within: failures.data?.within,
    intervalSeconds,
    when: shortWhenText(range),
  };
  // Of more jobs than were read, the one with the most may be another.
  const columns = running.data?.hasMore ? COLUMNS.filter(({ label }) => label !== MOST_UNSAVED) : COLUMNS;
  return { query, isSettled, rows, known, columns };
}

/** Rather fewer columns than figures off the edge of the window. */
function useLeftOut(isOverview: boolean): readonly string[] {
  const [isTight, isFull, isLong] = [useNarrow('table'), useNarrow('figures'), useNarrow('queues')];
  if (isTight) return [...ON_PAGE_ONLY, ...WITH_ROOM_ONLY];
  if (isOverview || isFull) return ON_PAGE_ONLY;
  return isLong ? [CORE_HOURS] : [];
}

export function QueueTable({ sums, when, range, words, sort, onSort }: QueueTableProps): ReactNode {
  const { query, isSettled, rows: unsorted, known, columns: wide } = useQueueRows(sums, range);
  const leftOut = useLeftOut(words === undefined);
  const columns = wide.filter(({ label }) => !leftOut.includes(label));
  const [own, setOwn] = useState<Order>(BY_TROUBLE);
  const order = onSort ? orderOf(sort) : own;
  const setOrder = onSort ? (next: Order) => onSort(sortOf(next)) : setOwn;
  const all = sorted(unsorted, order);
  const wanted = words?.toLowerCase();
  const found = wanted === undefined ? all : all.filter(({ name }) => name.toLowerCase().includes(wanted));
  const most = ROWS_MAX[useNarrow() ? 'narrow' : 'wide'];
  // A button that shows one row takes as much room as the row.
  const rows = wanted === undefined && found.length > most + 1 ? found.slice(0, most) : found;
  return (
    <section className="panel" aria-label="Queues">
      {words === undefined ? (
        <div className="panel-head">
          <h2>Queues</h2>
          <Link to="/queues" search={searchOf(range)} className="small">
            Show all{all.length > rows.length ? ` ${countText(all.length)}` : ''}
          </Link>
        </div>
      ) : null}
      {!isSettled ? (
        <Loading what="queues" />
      ) : rows.length === 0 ? (
        <Answered query={query} what="queues">
          {() =>
            wanted ? (
              <Empty title="No queue has that name" />
            ) : (
              <Empty title="No queues yet">
                <p className="muted">A queue appears with its first job.</p>
                <Link to="/nodes">Connect a worker</Link>
              </Empty>
            )
          }
        </Answered>
      ) : (
        <StackTable label="Queues" className="wrapped-heads queue-table">
          <Heads columns={columns} when={when} order={order} onOrder={setOrder} />
          <tbody>
            {rows.map((row) => (
              <tr key={row.name}>
                <th scope="row">
                  <Link to="/queue" search={{ name: row.name }}>
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

/** What else is needed to show a row. */
interface Known {
  /** What stands in place of figures that are not known. */
  readonly missing: Readonly<Record<'now' | 'unrestored' | 'running' | 'range' | 'failed', string | undefined>>;
  /** When those failed that are counted; absent while that is not known. */
  readonly within: Within | undefined;
  readonly intervalSeconds: number | undefined;
  /** `in 24 h`: a card has no head that says it of some of its figures. */
  readonly when: string;
}

interface Column {
  readonly label: string;
  /** Which answer it is of. */
  readonly of: keyof Known['missing'];
  /** A class of those that narrow windows leave out. */
  readonly where?: 'at-desk' | 'off-phone';
  readonly figureOf: (row: QueueRow) => number;
  /** The figure, and the list that it counts. `isSum`: of several queues, which have no list in common. */
  readonly cell: (row: QueueRow, known: Known, isSum: boolean) => ReactNode;
}

const MOST_UNSAVED = 'Most unsaved';
const RESTORING = 'Restoring';
const CORE_HOURS = 'Core-hours';
const CHECKPOINTS_FAILED = 'Checkpoints failed';
const FAILED_SHARE = 'Failed of ended';
/** Only on the page of all queues: the overview has no room for them. */
const ON_PAGE_ONLY: readonly string[] = [RESTORING, CHECKPOINTS_FAILED, FAILED_SHARE];
/** What nobody acts on. */
const WITH_ROOM_ONLY: readonly string[] = ['Starting', 'Restored', CORE_HOURS];
const RESTORING_NOW: Column = {
  label: RESTORING,
  of: 'unrestored',
  where: 'at-desk',
  figureOf: restoring,
  cell: (row, _, isSum) => (
    <Count of={restoring(row)} search={isSum ? undefined : { queue: row.name, phase: 'restoring' }} />
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
const COLUMNS: readonly Column[] = [
  ofPhase('running', 'Running'),
  { ...ofPhase('starting', 'Starting'), where: 'at-desk' },
  RESTORING_NOW,
  {
    label: 'Restore failed',
    of: 'unrestored',
    figureOf: ({ unrestored }) => unrestored,
    cell: ({ name, unrestored }, _, isSum) => (
      <Count
        of={unrestored}
        search={isSum ? undefined : { queue: name, phase: 'restoring', status: RESTORE_FAILED }}
        tone="bad"
      />
    ),
  },
  ofPhase('stranded', 'Stranded', 'bad'),
  {
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
  },
  { ...ofRange('jobSubmitted', 'Submitted', countText), where: 'at-desk' },
  {
    label: 'Failed',
    of: 'failed',
    figureOf: ({ failed }) => failed,
    cell: ({ name, failed }, { within }, isSum) => (
      <Count of={failed} search={isSum || within === undefined ? undefined : failedListOf(within, name)} tone="bad" />
    ),
  },
  FAILED_OF_ENDED,
  { ...ofRange('checkpointFailure', CHECKPOINTS_FAILED, countText), where: 'at-desk' },
  { ...ofRange('spotProtection', 'Restored', countText), where: 'at-desk' },
  { ...ofRange('coreTime', CORE_HOURS, (seconds) => tenthsText(seconds / 3600)), where: 'at-desk' },
  ofMoney(costUsd, 'Cost'),
  { ...ofMoney(savedUsd, 'Saved'), where: 'at-desk' },
];
/** The others are sums of the range. */
const ARE_NOW: readonly Column['of'][] = ['now', 'unrestored', 'running'];

/** Without those whose restores failed: nothing restores these. */
function restoring({ phases, unrestored }: QueueRow): number {
  return Math.max(0, (phases?.restoring ?? 0) - unrestored);
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

/** Of many zeros the others stand out. `search`: of the list of jobs. */
function Count(props: { of: number; search: Partial<JobFilter> | undefined; tone?: 'bad' | undefined }): ReactNode {
  const { of: count, search, tone } = props;
  if (count === 0) return <span className="muted">0</span>;
  if (search === undefined) return <span className={tone}>{countText(count)}</span>;
  return (
    <Link to="/jobs" search={search} className={tone ?? 'ink'}>
      {countText(count)}
    </Link>
  );
}

interface HeadsProps {
  readonly columns: readonly Column[];
  readonly when: string;
  readonly order: Order;
  readonly onOrder: (order: Order) => void;
}

function Heads({ columns, when, order, onOrder }: HeadsProps): ReactNode {
  const now = columns.filter(({ of }) => ARE_NOW.includes(of)).length;
  return (
    <thead>
      <tr className="column-groups">
        <td />
        <th scope="colgroup" colSpan={now}>
          Now
        </th>
        <th scope="colgroup" colSpan={columns.length - now}>
          {capitalized(when)}
        </th>
      </tr>
      <tr>
        <SortHeading label="Queue" column={COLUMNS.length} order={order} onOrder={onOrder} isName />
        {columns.map((column) => (
          <SortHeading
            key={column.label}
            label={column.label}
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
