/** One row a queue: what is in it now, and what it did in the range. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { Phase } from '../../../../src/protocol/phase.ts';
import type { Queue } from '../../../../src/protocol/queue.ts';
import { type Order, ordered, SortHeading } from '../../controls/sort-heading.tsx';
import type { Within } from '../../lists/counted.ts';
import { countText, decimalText, moneyText } from '../../parts/format.ts';
import { useSettled } from '../../parts/settled.ts';
import { StackTable } from '../../parts/stack-table.tsx';
import { Answered, type Asked, Empty, isAsking, Loading, missingText } from '../../parts/states.tsx';
import { queuesQuery } from '../../queries/jobs.ts';
import { type Range, searchOf } from '../../range/range.ts';
import { failedListOf } from './list-links.ts';
import { type RangeSummary, rangeFailedQuery } from './range-queries.ts';
import { knownUsd, type QueueTotals, queueTotals } from './totals.ts';

interface QueueTableProps {
  /** What the queues did in the range. */
  readonly sums: Asked<RangeSummary>;
  /** `in the last 24 hours` */
  readonly when: string;
  readonly range: Range;
  /** Only queues whose names have it, on the page of all queues; absent on the overview, which shows the first ones. */
  readonly words?: string;
}

/** Rows of the overview: its last panel is no list of hundreds. */
const ROWS_MAX = 15;

export function QueueTable({ sums, when, range, words }: QueueTableProps): ReactNode {
  const failures = useQuery(rangeFailedQuery(range));
  const query = useQuery(queuesQuery);
  const { data } = query;
  // Rows that come with another answer would push down those that are there.
  const isSettled = useSettled(
    [failures, query, { isPending: !sums.data && !sums.error, fetchStatus: 'fetching', ...sums }].some(isAsking),
  );
  const [order, setOrder] = useState<Order>({ column: 0, isDescending: false });
  const all = sorted(
    rowsOf(data ?? [], sums.data ? queueTotals(sums.data.summary) : [], failures.data?.now.counts ?? {}),
    order,
  );
  const wanted = words?.toLowerCase();
  const rows =
    wanted === undefined ? all.slice(0, ROWS_MAX) : all.filter(({ name }) => name.toLowerCase().includes(wanted));
  // A figure that is not known is no 0.
  const unknown = {
    phases: data ? undefined : missingText(query),
    values: sums.data ? undefined : missingText(sums),
    failed: failures.data ? undefined : missingText(failures),
  };
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
          {() => (
            <Empty title={wanted ? 'No queue has that name' : 'No queues yet: a queue appears with its first job'} />
          )}
        </Answered>
      ) : (
        <StackTable label="Queues" className="queue-table">
          <thead>
            <tr className="column-groups">
              <td />
              <th scope="colgroup" colSpan={NOW_COLUMNS}>
                Now
              </th>
              <th scope="colgroup" colSpan={COLUMNS.length - 1 - NOW_COLUMNS}>
                {when.charAt(0).toUpperCase() + when.slice(1)}
              </th>
            </tr>
            <tr>
              {COLUMNS.map(({ label }, i) => (
                <SortHeading key={label} label={label} column={i} order={order} onOrder={setOrder} isName={i === 0} />
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <QueueRow key={row.name} row={row} within={failures.data?.within} unknown={unknown} />
            ))}
          </tbody>
        </StackTable>
      )}
    </section>
  );
}

interface Row {
  readonly name: string;
  /** Undefined where the queue has no job any more. */
  readonly phases: Queue['phases'] | undefined;
  readonly values: QueueTotals['values'];
  /** Jobs that failed in the range. */
  readonly failed: number;
}

/** Queues that have jobs, and those that had some in the range. */
function rowsOf(
  queues: readonly Queue[],
  totals: readonly QueueTotals[],
  failed: Readonly<Record<string, number>>,
): Row[] {
  const phases = new Map(queues.map((queue) => [queue.name, queue.phases]));
  const values = new Map(totals.map((total) => [total.queue, total.values]));
  const names = [...new Set([...phases.keys(), ...values.keys(), ...Object.keys(failed)])].sort();
  return names.map((name) => ({
    name,
    phases: phases.get(name),
    values: values.get(name) ?? new Map(),
    failed: failed[name] ?? 0,
  }));
}

interface Column {
  readonly label: string;
  /** What its rows are ordered by; absent for the name. */
  readonly figureOf?: (row: Row) => number;
}

const inPhase =
  (phase: Phase) =>
  ({ phases }: Row): number =>
    phases?.[phase] ?? 0;
const inRange =
  (metric: string) =>
  ({ values }: Row): number =>
    values.get(metric) ?? 0;

const COLUMNS: readonly Column[] = [
  { label: 'Queue' },
  { label: 'Running', figureOf: inPhase('running') },
  { label: 'Starting', figureOf: inPhase('starting') },
  { label: 'Stranded', figureOf: inPhase('stranded') },
  { label: 'Submitted', figureOf: inRange('jobSubmitted') },
  { label: 'Failed', figureOf: ({ failed }) => failed },
  { label: 'Restores', figureOf: inRange('spotProtection') },
  { label: 'Core-hours', figureOf: inRange('coreTime') },
  { label: 'Cost', figureOf: inRange('jobCost') },
  { label: 'Saved by spot', figureOf: inRange('onDemandSavings') },
  { label: 'Saved by restore', figureOf: inRange('spotSavings') },
];

/** After the name; the others are sums of the range. */
const NOW_COLUMNS = 3;

/** Rows come by name, which also decides between equals. */
function sorted(rows: readonly Row[], { column, isDescending }: Order): readonly Row[] {
  const figureOf = COLUMNS[column]?.figureOf;
  if (!figureOf) return isDescending ? rows.toReversed() : rows;
  return ordered(rows, isDescending, figureOf);
}

/** Of many zeros the others stand out. */
function ofNone(value: number, format: (value: number) => string): ReactNode {
  return value === 0 ? <span className="muted">{format(0)}</span> : format(value);
}

interface QueueRowProps {
  readonly row: Row;
  /** When those failed that are counted; absent while that is not known. */
  readonly within: Within | undefined;
  /** What stands in place of figures that are not known. */
  readonly unknown: Readonly<Record<'phases' | 'values' | 'failed', string | undefined>>;
}

function QueueRow({ row: { name, phases, values, failed }, within, unknown }: QueueRowProps): ReactNode {
  const value = (metric: string): number => values.get(metric) ?? 0;
  const money = (metric: string, amount: string): string => {
    const usd = knownUsd(value(metric), value('jobCost') > 0 ? 0 : value(amount));
    return usd === undefined ? 'Unknown' : moneyText(usd);
  };
  const jobs = (phase: Phase): ReactNode => {
    if (unknown.phases !== undefined) return unknown.phases;
    const count = phases?.[phase] ?? 0;
    if (count === 0) return <span className="muted">0</span>;
    return (
      <Link to="/jobs" search={{ queue: name, phase }} className={phase === 'stranded' ? 'bad' : 'ink'}>
        {countText(count)}
      </Link>
    );
  };
  const failedJobs =
    failed === 0 || within === undefined ? (
      <span className="muted">0</span>
    ) : (
      <Link to="/jobs" search={failedListOf(within, name)} className="ink">
        {countText(failed)}
      </Link>
    );
  // In the order of the columns.
  const sums = [
    ofNone(value('spotProtection'), countText),
    ofNone(value('coreTime') / 3600, decimalText),
    money('jobCost', 'coreTime'),
    money('onDemandSavings', 'coreTime'),
    money('spotSavings', 'timeSaved'),
  ];
  const cells = [
    ...[jobs('running'), jobs('starting'), jobs('stranded')],
    unknown.values ?? ofNone(value('jobSubmitted'), countText),
    unknown.failed ?? failedJobs,
    ...sums.map((sum) => unknown.values ?? sum),
  ];
  return (
    <tr>
      <th scope="row">
        <Link to="/queue" search={{ name }}>
          {name}
        </Link>
      </th>
      {cells.map((cell, i) => {
        const label = COLUMNS[i + 1]?.label ?? '';
        return (
          <td key={label} data-label={label}>
            {cell}
          </td>
        );
      })}
    </tr>
  );
}
