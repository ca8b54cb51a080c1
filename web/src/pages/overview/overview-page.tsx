/** Everything at a glance: what needs attention, what was saved, what is at risk, what changed. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { SYSTEM_TOTAL } from '../../../../src/protocol/names/metric-names.ts';
import { Checklist } from '../../onboarding/checklist.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Failure } from '../../parts/states.tsx';
import { labelOf, type RangeName, rangeOf, searchOf, whenText } from '../../range/range.ts';
import { RangePicker } from '../../range/range-picker.tsx';
import '../../styles/overview.css';
import { AttentionList, useAttentionSettled } from './attention-list.tsx';
import { QueueTable } from './queue-table.tsx';
import { rangeSummaryQuery } from './range-queries.ts';
import { RecentChanges } from './recent-changes.tsx';
import { RiskTable } from './risk-table.tsx';
import { Strip } from './strip.tsx';
import { Tiles } from './tiles.tsx';
import { Trends } from './trends.tsx';

const RANGE_DEFAULT: RangeName = '24h';

export function OverviewPage(): ReactNode {
  const range = rangeOf(useSearch({ from: '/' }), RANGE_DEFAULT);
  const navigate = useNavigate({ from: '/' });
  const query = useQuery(rangeSummaryQuery(range));
  const { data: figures } = query;
  const when = whenText(range);
  const isSettled = useAttentionSettled();
  return (
    <>
      <PageHead title="Overview">
        <RangePicker value={range} onChange={(next) => void navigate({ search: searchOf(next) })} />
      </PageHead>
      <Checklist />
      <AttentionList />
      {isSettled ? (
        <>
          {figures || !query.error ? null : (
            <Failure
              error={query.error}
              what={`the figures of ${labelOf(range)}`}
              isSlim
              retry={() => void query.refetch()}
            />
          )}
          {/* What is known without the sums stays on the page. */}
          <Tiles query={query} when={when} />
          <Strip query={query} />
          <Trends object={SYSTEM_TOTAL} range={range} figures={figures} />
          <QueueTable sums={query} when={when} />
          <div className="pair">
            <RiskTable />
            <RecentChanges />
          </div>
        </>
      ) : null}
    </>
  );
}
