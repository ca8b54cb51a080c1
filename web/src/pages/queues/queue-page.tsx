/** One queue: its jobs by phase, what it did in a range of time, and how that went. */
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { spanText } from '../../../../src/protocol/explain/span.ts';
import { queueObjectId } from '../../../../src/protocol/names/metric-names.ts';
import { PHASES } from '../../../../src/protocol/phase.ts';
import { jobCountQuery } from '../../api/queries.ts';
import { countText, decimalText, moneyText, wordsOf } from '../../parts/format.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { Answered, Empty } from '../../parts/states.tsx';
import { labelOf, type RangeName, rangeOf, searchOf } from '../../range/range.ts';
import { RangePicker } from '../../range/range-picker.tsx';
import '../../styles/overview.css';
import { ofQueue, type RangeSummary, rangeSummaryQuery } from '../overview/range-queries.ts';
import { costUsd, savedUsd, totalOf } from '../overview/totals.ts';
import { Trends } from '../overview/trends.tsx';

const RANGE_DEFAULT: RangeName = '24h';

export function QueuePage(): ReactNode {
  const { name, ...search } = useSearch({ from: '/queue' });
  const range = rangeOf(search, RANGE_DEFAULT);
  const navigate = useNavigate({ from: '/queue' });
  const query = useQuery(rangeSummaryQuery(range));
  const counts = useQuery(jobCountQuery({ queue: name }));
  return (
    <>
      <PageHead title={`Queue ${name}`}>
        <RangePicker value={range} onChange={(next) => void navigate({ search: { name, ...searchOf(next) } })} />
      </PageHead>
      <Answered query={counts} what="the jobs of the queue">
        {({ total, counts: byPhase }) =>
          total === 0 ? (
            <Empty title="This queue has no jobs now">
              <p className="muted">Figures of jobs that it had stand below.</p>
            </Empty>
          ) : (
            <section className="panel phases" aria-label="Jobs by phase">
              {PHASES.map((phase) => (
                <Link key={phase} to="/jobs" search={{ queue: name, phase }} className="phase-count">
                  <span className="strip-value">{countText(byPhase[phase] ?? 0)}</span> {wordsOf(phase)}
                </Link>
              ))}
              <Link to="/jobs" search={{ queue: name }} className="phase-count">
                <span className="strip-value">{countText(total)}</span> In all
              </Link>
            </section>
          )
        }
      </Answered>
      <Answered query={query} what="figures">
        {(all) => {
          const figures = ofQueue(all, name);
          return (
            <>
              <Figures figures={figures} rangeLabel={labelOf(range)} />
              <Trends object={queueObjectId(name)} range={range} figures={figures} />
            </>
          );
        }}
      </Answered>
    </>
  );
}

function Figures({ figures: { summary }, rangeLabel }: { figures: RangeSummary; rangeLabel: string }): ReactNode {
  const usd = (value: number | undefined): string => (value === undefined ? 'Unknown' : moneyText(value));
  const figures = [
    ['Jobs submitted', countText(totalOf(summary, 'jobSubmitted'))],
    ['Restores', countText(totalOf(summary, 'spotProtection'))],
    ['Core-hours', decimalText(totalOf(summary, 'coreTime') / 3600)],
    ['Cost', usd(costUsd(summary))],
    ['Saved', usd(savedUsd(summary))],
    ['Work not repeated', spanText(totalOf(summary, 'timeSaved'))],
  ] as const;
  return (
    <dl className="strip" aria-label={`Figures of ${rangeLabel}`}>
      {figures.map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd className="strip-value">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
