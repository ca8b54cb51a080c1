/** Everything at a glance: what needs attention, what was saved, what is at risk, what changed. */
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { configQuery } from '../../api/queries.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { RANGES, type RangeName } from '../../parts/range.ts';
import { RangePicker } from '../../parts/range-picker.tsx';
import { Answered } from '../../parts/states.tsx';
import '../../styles/overview.css';
import { AttentionList } from './attention-list.tsx';
import { FirstSave } from './first-save.tsx';
import { QueueTable } from './queue-table.tsx';
import { rangeSummaryQuery } from './range-queries.ts';
import { RecentChanges } from './recent-changes.tsx';
import { RiskTable } from './risk-table.tsx';
import { Strip } from './strip.tsx';
import { Tiles } from './tiles.tsx';
import { Trends } from './trends.tsx';

const RANGE_DEFAULT: RangeName = '24h';

export function OverviewPage(): ReactNode {
  const { range = RANGE_DEFAULT } = useSearch({ from: '/' });
  const navigate = useNavigate({ from: '/' });
  const query = useQuery(rangeSummaryQuery(range));
  const rangeLabel = RANGES[range].label;
  return (
    <>
      <PageHead title="Overview">
        <RangePicker value={range} onChange={(next) => void navigate({ search: { range: next } })} />
      </PageHead>
      <FirstRun />
      <FirstSave />
      <AttentionList />
      <Answered query={query} what="figures">
        {(figures) => (
          <>
            <Tiles figures={figures} rangeLabel={rangeLabel} />
            <Strip summary={figures.summary} />
            <Trends range={range} figures={figures} />
            <QueueTable summary={figures.summary} rangeLabel={rangeLabel} />
          </>
        )}
      </Answered>
      <div className="pair">
        <RiskTable />
        <RecentChanges />
      </div>
    </>
  );
}
/** A fresh server checkpoints nothing until someone says how. */
function FirstRun(): ReactNode {
  const { data } = useQuery(configQuery);
  if (data?.ckpt.ckptMode !== 'unknown') return null;
  return (
    <section className="notice" aria-labelledby="first-run">
      <h2 id="first-run">Welcome. Three steps to go</h2>
      <ol>
        <li>
          <Link to="/settings" search={{ tab: 'ckpt' }}>
            Choose the checkpoint mode
          </Link>
          : it is <code>unknown</code>, so workers do not know whether to take checkpoints.
        </li>
        <li>
          <Link to="/settings" search={{ tab: 'tokens' }}>
            Join worker nodes
          </Link>{' '}
          with <code>cairn agent --server {location.origin}</code>.
        </li>
        <li>
          <Link to="/settings" search={{ tab: 'identity' }}>
            Connect your identity provider
          </Link>
          : until then everybody who reaches this address may change everything.
        </li>
      </ol>
    </section>
  );
}
