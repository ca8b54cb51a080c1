/** Everything at a glance: is all alive, what is at risk, what did checkpoints save, what changed. */
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { configQuery, summaryQuery } from '../../api/queries.ts';
import { useNowMs } from '../../parts/clock.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { boundsOf, RANGES, type RangeName } from '../../parts/range.ts';
import { RangePicker } from '../../parts/range-picker.tsx';
import { Answered } from '../../parts/states.tsx';
import { Cards } from './cards.tsx';
import { FirstSave } from './first-save.tsx';
import { QueueTable } from './queue-table.tsx';
import { RecentChanges } from './recent-changes.tsx';
import { RiskTable } from './risk-table.tsx';
import { Trends } from './trends.tsx';

const RANGE_DEFAULT: RangeName = '24h';

export function OverviewPage(): ReactNode {
  const { range = RANGE_DEFAULT } = useSearch({ from: '/' });
  const navigate = useNavigate({ from: '/' });
  const minuteMs = Math.floor(useNowMs() / 60_000) * 60_000;
  const { startMs, endMs } = boundsOf(range, minuteMs);
  const end = endMs > minuteMs ? undefined : new Date(endMs).toISOString();
  const summary = useQuery(summaryQuery(new Date(startMs).toISOString(), end));
  return (
    <>
      <PageHead title="Overview">
        <RangePicker value={range} onChange={(next) => void navigate({ search: { range: next } })} />
      </PageHead>
      <FirstRun />
      <FirstSave />
      <Answered query={summary} what="figures">
        {(data) => (
          <>
            <Cards summary={data} rangeLabel={RANGES[range].label} />
            <Trends range={range} minuteMs={minuteMs} />
            <div className="columns">
              <QueueTable summary={data} rangeLabel={RANGES[range].label} />
              <RiskTable />
              <RecentChanges />
            </div>
          </>
        )}
      </Answered>
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
