/** The three figures that matter most, large. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { spanText } from '../../../../src/protocol/explain/span.ts';
import { valuesOf } from '../../api/metrics-text.ts';
import { jobCountQuery, metricsTextQuery } from '../../api/queries.ts';
import { countText, moneyText, unbroken } from '../../parts/format.ts';
import { type Asked, Missing, missingText } from '../../parts/states.tsx';
import { beforeText, type Range, whenText } from '../../range/range.ts';
import { Change } from './change.tsx';
import type { RangeSummary } from './range-queries.ts';
import { savedUsd, totalOf } from './totals.ts';

interface TilesProps {
  readonly query: Asked<RangeSummary>;
  readonly range: Range;
}

export function Tiles({ query, range }: TilesProps): ReactNode {
  return (
    <section className="tiles" aria-label="Main figures">
      <Saved query={query} range={range} />
      <Running />
      <Unsaved />
    </section>
  );
}

function Saved({ query, range }: TilesProps): ReactNode {
  const { data } = query;
  return (
    <div className="tile">
      <div className="tile-label">Saved {whenText(range)}</div>
      {data ? (
        <SavedFigures figures={data} period={beforeText(range)} />
      ) : (
        <>
          <div className="tile-value">
            <Missing query={query} />
          </div>
          <div className="tile-note">By spot prices and by restores</div>
        </>
      )}
    </div>
  );
}

function SavedFigures(props: { figures: RangeSummary; period: string }): ReactNode {
  const {
    figures: { summary, before },
    period,
  } = props;
  const usd = savedUsd(summary);
  const seconds = totalOf(summary, 'timeSaved');
  return (
    <>
      <div className="tile-value">
        {usd === undefined ? spanText(seconds) : moneyText(usd)}{' '}
        <Change
          now={usd === undefined ? seconds : usd}
          before={usd === undefined ? totalOf(before, 'timeSaved') : (savedUsd(before) ?? 0)}
          format={usd === undefined ? spanText : moneyText}
          period={period}
        />
      </div>
      <div className="tile-note">
        {usd === undefined
          ? 'of work not repeated. Nodes that report their price show money here.'
          : `${moneyText(totalOf(summary, 'onDemandSavings'))} by spot prices, ${moneyText(totalOf(summary, 'spotSavings'))} by restores (${unbroken(spanText(seconds))} of work not repeated)`}
      </div>
    </>
  );
}

function Running(): ReactNode {
  const query = useQuery(jobCountQuery({}));
  const { data } = query;
  const count = (phase: string): string => (data ? countText(data.counts[phase] ?? 0) : missingText(query));
  return (
    <div className="tile">
      <div className="tile-label">Jobs running now</div>
      <div className="tile-value">
        {data ? (
          <Link to="/jobs" search={{ phase: 'running' }} aria-label={`${count('running')} running jobs`}>
            {count('running')}
          </Link>
        ) : (
          <Missing query={query} />
        )}
      </div>
      <div className="tile-note">
        <Link to="/jobs" search={{ phase: 'starting' }}>
          {count('starting')} starting
        </Link>
        {' · '}
        <Link to="/jobs" search={{ phase: 'restoring' }}>
          {count('restoring')} restoring
        </Link>
        {' · '}
        <Link to="/jobs">{data ? countText(data.total) : missingText(query)} in total</Link>
      </div>
    </div>
  );
}

function Unsaved(): ReactNode {
  const query = useQuery(metricsTextQuery);
  const { data } = query;
  const seconds = valuesOf(data ?? '', 'cairn_work_at_risk_seconds').reduce((sum, value) => sum + value, 0);
  const oldest = Math.max(0, ...valuesOf(data ?? '', 'cairn_oldest_checkpoint_seconds'));
  return (
    <div className="tile">
      <div className="tile-label">Unsaved work now</div>
      <div className="tile-value">
        {data === undefined ? (
          <Missing query={query} />
        ) : (
          <Link to="/jobs" search={{ phase: 'running', sort: '-unsaved' }} title="Running jobs by unsaved work">
            {spanText(seconds)}
          </Link>
        )}
      </div>
      <div className="tile-note">
        {oldest > 0
          ? `Oldest checkpoint of a running job: ${unbroken(`${spanText(oldest)} ago`)}`
          : 'Run time that would be lost if every node went now'}
      </div>
    </div>
  );
}
