/** Where the cloud takes machines back, so that jobs can be placed elsewhere: by zone and instance type. */
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { barsOf, merged } from '../../charts/buckets.ts';
import { Chart } from '../../charts/chart.tsx';
import { useNowMs } from '../../parts/clock.ts';
import { countText, moneyText, spanText } from '../../parts/format.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { useSettled } from '../../parts/settled.ts';
import { Answered, Empty, isAsking, Loading, Missing } from '../../parts/states.tsx';
import { timeZone, usePreference } from '../../preferences/preferences.ts';
import { nodeNamesQuery, spotNodesQuery } from '../../queries/nodes.ts';
import { configQuery } from '../../queries/server.ts';
import { boundsOf, type Range, type RangeName, rangeOf, searchOf, whenText } from '../../range/range.ts';
import { RangePicker } from '../../range/range-picker.tsx';
import { rangeSummaryQuery } from '../overview/range-queries.ts';
import { totalOf } from '../overview/totals.ts';
import { ViewTabs } from '../view-tabs.tsx';
import { ReclaimTable } from './reclaim-list.tsx';
import { costText, runningOn } from './reclaim-text.ts';
import { noticesText, type Reclaim, type ReclaimRow, reclaimRows, reclaims } from './reclaims.ts';
import { ByPlace, type ByPlaceProps } from './reclaims-by-place.tsx';
import { lostInRangeQuery, reclaimsQuery } from './reclaims-query.ts';

const RANGE_DEFAULT: RangeName = '7d';

export function ReclaimsPage(): ReactNode {
  const range = rangeOf(useSearch({ from: '/reclaims' }), RANGE_DEFAULT);
  const zone = usePreference(timeZone);
  const navigate = useNavigate({ from: '/reclaims' });
  const query = useQuery(spotNodesQuery);
  const nowMs = useNowMs(60_000);
  const { startMs, endMs } = boundsOf(range, nowMs, zone);
  return (
    <>
      <PageHead title="Spot reclaims">
        <RangePicker value={range} onChange={(next) => void navigate({ search: searchOf(next) })} />
      </PageHead>
      <ViewTabs of="nodes" />
      <OnceAnswered range={range}>
        <Answered query={query} what="spot nodes">
          {({ rows, hasMore }) => (
            <Table rows={reclaimRows(rows, { startMs, endMs, nowMs })} hasMore={hasMore} range={range}>
              <Course reclaims={reclaims(rows, startMs, endMs)} startMs={startMs} endMs={endMs} />
            </Table>
          )}
        </Answered>
      </OnceAnswered>
    </>
  );
}

/** The page is drawn once, when the last of its answers is there: whatever came later would push the rest down. */
function OnceAnswered({ range, children }: { range: Range; children: ReactNode }): ReactNode {
  const answers = [
    useQuery(spotNodesQuery),
    useQuery(rangeSummaryQuery(range)),
    useQuery(reclaimsQuery(range)),
    useQuery(lostInRangeQuery(range)),
    // Whether agents watch for notices is told below the table.
    useQuery(configQuery),
    // A name is longer, or shorter, than the id of its instance.
    useQuery(nodeNamesQuery),
  ];
  return useSettled(answers.some(isAsking)) ? children : <Outline />;
}

/** What will stand there; other elements than the page's own, so that none of them moves. */
function Outline(): ReactNode {
  return (
    <>
      <div className="strip-pair" aria-hidden="true">
        {GROUPS.map(([title, labels]) => (
          <div key={title}>
            <div className="strip-title">{title}</div>
            <div className="strip strip-3">
              {labels.map((label) => (
                <div key={label}>
                  <div className="muted small">{label}</div>
                  <span className="strip-value">
                    <span className="pending" />
                  </span>
                </div>
              ))}
            </div>
          </div>
        ))}
      </div>
      <Loading what="the reclaims" />
    </>
  );
}

/** `children`: between the sums and the rows. */
function Table({ children, ...table }: ByPlaceProps & { children: ReactNode }): ReactNode {
  const { rows, range } = table;
  if (rows.length === 0)
    return (
      <Empty title={`No spot node ran ${whenText(range)}`}>
        <p className="muted">Nodes count here whose agent reports the pay type Spot.</p>
        <Link to="/nodes">See all nodes, or connect a worker</Link>
      </Empty>
    );
  return (
    <>
      <Sums rows={rows} range={range} />
      {children}
      <ByPlace {...table} />
      <Single range={range} />
    </>
  );
}

/** Each reclaim of the range, the newest first. */
function Single({ range }: { range: Range }): ReactNode {
  const query = useQuery(reclaimsQuery(range));
  return (
    <section className="panel" aria-labelledby="single">
      <h2 id="single">
        Reclaims <span className="muted">{whenText(range)}</span>
      </h2>
      <Answered query={query} what="the reclaims">
        {(list) =>
          list.reclaims.length === 0 ? (
            <p className="muted">No spot node was reclaimed.</p>
          ) : (
            <ReclaimTable list={list} label="Single reclaims" />
          )
        }
      </Answered>
    </section>
  );
}

/** When machines were taken: a wave of reclaims is seen at once. */
function Course(props: { reclaims: readonly Reclaim[]; startMs: number; endMs: number }): ReactNode {
  const { reclaims, startMs, endMs } = props;
  if (reclaims.length === 0) return null;
  const { stepMs } = barsOf({ startMs, endMs }, endMs);
  const lines = [true, false].map((wanted) => ({
    label: wanted ? 'With notice' : 'Without notice',
    unit: 'count',
    isCounted: true,
    isFailure: !wanted,
    total: countText(reclaims.filter(({ isNoticed }) => isNoticed === wanted).length),
    points: merged(
      reclaims.filter(({ isNoticed }) => isNoticed === wanted).map(({ time }) => ({ time, value: 1 })),
      stepMs,
    ),
    format: countText,
  }));
  return (
    <section className="panel" aria-labelledby="course">
      <h2 id="course">Reclaims over time</h2>
      <Chart
        title="Reclaims"
        lines={lines}
        startMs={startMs}
        endMs={endMs}
        stepMs={stepMs}
        height={180}
        tellsUnfinished
      />
    </section>
  );
}

/** What was taken, and what it cost; and, of a larger set, what was spared. */
const GROUPS = [
  ['What reclaims cost', ['Spot nodes reclaimed', 'Jobs interrupted', 'Work lost']],
  ['What restores saved, after any stop', ['Restores', 'Work not repeated', 'Saved']],
] as const;
type Figure = (typeof GROUPS)[number][1][number];

/** What was taken, and what became of the jobs: that they went on elsewhere, and what that spared. */
function Sums({ rows, range }: { rows: readonly ReclaimRow[]; range: Range }): ReactNode {
  const query = useQuery(rangeSummaryQuery(range));
  const cost = useQuery(reclaimsQuery(range));
  const sum = (name: string): number => (query.data ? totalOf(query.data.summary, name) : 0);
  const count = (of: 'noticed' | 'silent' | 'ahead'): number => rows.reduce((total, row) => total + row[of], 0);
  const [noticed, silent, ahead] = [count('noticed'), count('silent'), count('ahead')];
  const good = sum('restoreSuccess');
  const ended = good + sum('restoreFailure');
  const told = (value: string): ReactNode => (query.data ? value : <Missing query={query} />);
  const totals = cost.data?.totals;
  // Not interrupted yet, so without a loss in the sums.
  const running = (cost.data?.reclaims ?? []).reduce((total, reclaim) => total + runningOn(reclaim), 0);
  const costed = (value: string | undefined): ReactNode => value ?? <Missing query={cost} />;
  const figures: Readonly<Record<Figure, readonly [value: ReactNode, note: string]>> = {
    'Spot nodes reclaimed': [countText(noticed + silent), noticesText({ noticed, silent, ahead }) ?? whenText(range)],
    'Jobs interrupted': [
      costed(totals && countText(totals.jobs - running)),
      running === 0 ? whenText(range) : `${countText(running)} more on nodes under notice`,
    ],
    'Work lost': [
      costed(totals && spanText(totals.repeatedSeconds)),
      totals && totals.repeatedSeconds > 0 ? `that cost ${costText(totals)}` : 'in no checkpoint',
    ],
    Restores: [
      told(ended === 0 ? 'None' : `${countText(good)} of ${countText(ended)}`),
      query.data && ended === 0 ? 'needed' : 'succeeded',
    ],
    'Work not repeated': [told(spanText(sum('timeSaved'))), 'in restored checkpoints'],
    Saved: [told(moneyText(sum('spotSavings'))), 'at node prices'],
  };
  return (
    <div className="strip-pair">
      {GROUPS.map(([title, labels]) => (
        <section key={title} aria-label={title}>
          <h2 className="strip-title">{title}</h2>
          <dl className="strip strip-3">
            {labels.map((label) => (
              <div key={label}>
                <dt>{label}</dt>
                <dd>
                  <span className="strip-value">{figures[label][0]}</span>{' '}
                  <span className="muted small">{figures[label][1]}</span>
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </div>
  );
}
