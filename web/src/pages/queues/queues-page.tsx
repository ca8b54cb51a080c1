/** All queues: what is in each now, and what it did in a range of time. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useCallback } from 'react';
import { useNarrow } from '../../browser/narrow.ts';
import { Select } from '../../controls/select.tsx';
import { MANY_INTERVALS } from '../../lists/risk-tone.ts';
import { spanText } from '../../parts/format.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { SearchBox } from '../../parts/search-box.tsx';
import { queuesQuery } from '../../queries/jobs.ts';
import { useSaveInterval } from '../../queries/save-interval.ts';
import { type RangeName, rangeOf, searchOf, whenText } from '../../range/range.ts';
import { RangePicker } from '../../range/range-picker.tsx';
import '../../styles/overview.css';
import { CountedAt } from '../counted-at.tsx';
import { QueueTable } from '../overview/queue-table.tsx';
import { rangeSummaryQuery } from '../overview/range-queries.ts';
import { ViewTabs } from '../view-tabs.tsx';

/** What neither an arrow nor a label says: the order, and what the colours mean. */
function useNote(): string {
  const intervalSeconds = useSaveInterval();
  const isShort = useNarrow('queues');
  const isCards = useNarrow();
  const room = isShort && !isCards ? ' A wider window shows more columns.' : '';
  const stuck = 'Stuck jobs cannot start or be restored.';
  const first = 'In trouble first, until you sort them: most stranded or stuck jobs, then most';
  if (intervalSeconds === undefined) return `${first} failed ones. ${stuck}${room}`;
  const many = spanText(MANY_INTERVALS * intervalSeconds);
  return `${first} never saved, most overdue, and most failed ones. ${stuck} A job is overdue with unsaved work of more than two checkpoint intervals (${many}): amber, or red where it was never saved.${room}`;
}

const RANGE_DEFAULT: RangeName = '24h';

/** Cards have no heads to sort them by: of the figures that they show. */
const ORDERS = [
  { value: '', label: 'In trouble first' },
  { value: 'queue', label: 'By name' },
  { value: '-running', label: 'Most running first' },
  { value: '-stranded', label: 'Most stranded first' },
  { value: '-most-unsaved', label: 'Most unsaved first' },
  { value: '-overdue', label: 'Most overdue first' },
  { value: '-never-saved', label: 'Most never saved first' },
  { value: '-failed', label: 'Most failed first' },
];

export function QueuesPage(): ReactNode {
  const { q = '', sort, ...search } = useSearch({ from: '/queues' });
  const range = rangeOf(search, RANGE_DEFAULT);
  const navigate = useNavigate({ from: '/queues' });
  const note = useNote();
  const isNarrow = useNarrow();
  const queues = useQuery(queuesQuery);
  // As the table has them.
  const isAny = queues.data?.some(({ name }) => name.toLowerCase().includes(q.toLowerCase())) ?? false;
  const sums = useQuery(rangeSummaryQuery(range));
  const setText = useCallback(
    // A search is one step back, however it was typed.
    (text: string) => void navigate({ search: (before) => ({ ...before, q: text || undefined }), replace: q !== '' }),
    [navigate, q],
  );
  const setSort = useCallback(
    (next: string) => void navigate({ search: (before) => ({ ...before, sort: next === '' ? undefined : next }) }),
    [navigate],
  );
  return (
    <>
      <PageHead title="Queues">
        <RangePicker
          value={range}
          onChange={(next) => void navigate({ search: (before) => ({ ...before, ...searchOf(next) }) })}
        />
      </PageHead>
      <ViewTabs of="jobs" />
      <search className="filters">
        <SearchBox label="Search queues" value={q} onChange={setText} />
        {isNarrow ? (
          <Select label="Sort" options={ORDERS} value={sort ?? ''} onChange={setSort} />
        ) : sort === undefined ? null : (
          <button type="button" className="link" onClick={() => setSort('')}>
            In trouble first
          </button>
        )}
      </search>
      <QueueTable sums={sums} when={whenText(range)} range={range} words={q} sort={sort} onSort={setSort} />
      <CountedAt queries={[queues]} />
      {isAny ? <p className="muted small">{note}</p> : null}
    </>
  );
}
