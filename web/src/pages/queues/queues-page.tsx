/** All queues: what is in each now, and what it did in a range of time. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useCallback } from 'react';
import { PageHead } from '../../parts/page-head.tsx';
import { SearchBox } from '../../parts/search-box.tsx';
import { type RangeName, rangeOf, searchOf, whenText } from '../../range/range.ts';
import { RangePicker } from '../../range/range-picker.tsx';
import '../../styles/overview.css';
import { QueueTable } from '../overview/queue-table.tsx';
import { rangeSummaryQuery } from '../overview/range-queries.ts';
import { ViewTabs } from '../view-tabs.tsx';

const RANGE_DEFAULT: RangeName = '24h';

export function QueuesPage(): ReactNode {
  const { q = '', ...search } = useSearch({ from: '/queues' });
  const range = rangeOf(search, RANGE_DEFAULT);
  const navigate = useNavigate({ from: '/queues' });
  const sums = useQuery(rangeSummaryQuery(range));
  const setText = useCallback(
    (text: string) => void navigate({ search: (before) => ({ ...before, q: text || undefined }), replace: true }),
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
      </search>
      <QueueTable sums={sums} when={whenText(range)} range={range} words={q} />
    </>
  );
}
