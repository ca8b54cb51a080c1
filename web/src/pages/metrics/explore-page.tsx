/** Any series, on one chart, over any range; the address of the page reproduces the view. */
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useCallback, useState } from 'react';
import { BUCKET_VALUES } from '../../../../src/protocol/names/metric-names.ts';
import { LEVELS } from '../../../../src/protocol/rollup-retention.ts';
import { Choice } from '../../controls/choice.tsx';
import { Select } from '../../controls/select.tsx';
import { useNowMs } from '../../parts/clock.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { timeZone, usePreference } from '../../preferences/preferences.ts';
import { boundsOf, keyOf, type Range, rangeOf, searchOf } from '../../range/range.ts';
import { RangePicker } from '../../range/range-picker.tsx';
import { ByQueue } from './by-queue.tsx';
import { ExploreChart } from './explore-chart.tsx';
import { SeriesPicker } from './series-picker.tsx';
import { Starts } from './starts.tsx';

/** Lines on one chart: more cannot be told apart. */
const SERIES_MAX = 5;

export function ExplorePage(): ReactNode {
  const search = useSearch({ from: '/explore' });
  const navigate = useNavigate({ from: '/explore' });
  const minuteMs = useNowMs(60_000);
  const chosen = (search.series ?? '')
    .split(',')
    .filter((name) => name.includes('/'))
    .slice(0, SERIES_MAX);
  const range = rangeOf(search, '24h');
  const isZoomed = typeof range !== 'string';
  const zone = usePreference(timeZone);
  const { startMs, endMs } = boundsOf(range, minuteMs, zone);
  const set = useCallback(
    (change: Change) =>
      void navigate({
        search: (before) => {
          const next: Record<string, string> = {};
          for (const [name, value] of Object.entries({ ...before, ...change }))
            if (value !== undefined && value !== '') next[name] = value;
          return next;
        },
      }),
    [navigate],
  );
  const onZoom = useCallback(
    (fromMs: number, toMs: number) => set({ start: new Date(fromMs).toISOString(), end: new Date(toMs).toISOString() }),
    [set],
  );
  return (
    <>
      <PageHead title="Metrics" trail={chosen.length === 0 ? null : <BackToStart range={range} />}>
        {isZoomed ? (
          <button type="button" onClick={() => set({ start: undefined, end: undefined })}>
            Zoom out
          </button>
        ) : null}
        <AddSeries chosen={chosen} onChoose={(names) => set({ series: names.join(',') })} />
        <RangePicker value={range} onChange={(next) => set({ ...searchOf(next) })} />
      </PageHead>
      {chosen.length === 0 ? null : <Choices chosen={chosen} search={search} set={set} />}
      {chosen.length === 0 ? (
        <>
          <Starts range={range} />
          <ByQueue range={range} measure={search.by} onMeasure={(by) => set({ by })} chartMax={SERIES_MAX} />
        </>
      ) : (
        <ExploreChart
          names={chosen}
          startMs={startMs}
          endMs={endMs}
          range={keyOf(range, zone)}
          interval={search.interval}
          agg={search.agg}
          isCompared={search.compare === 'before'}
          isApart={search.charts === 'each'}
          onZoom={onZoom}
          onRemove={(name) => set({ series: chosen.filter((other) => other !== name).join(',') })}
        />
      )}
    </>
  );
}

function BackToStart({ range }: { range: Range }): ReactNode {
  return (
    <Link to="/explore" search={searchOf(range)}>
      Start here
    </Link>
  );
}

type Change = Record<string, string | undefined>;

function Choices(props: {
  chosen: readonly string[];
  search: Readonly<Partial<Record<'interval' | 'agg' | 'compare' | 'charts', string | undefined>>>;
  set: (change: Change) => void;
}): ReactNode {
  const { chosen, search, set } = props;
  const { interval, agg, compare, charts } = search;
  return (
    <div className="filters">
      <Choice
        label="Resolution"
        all="Automatic resolution"
        values={LEVELS.map(({ name }) => name)}
        value={interval}
        onChange={(interval) => set({ interval })}
      />
      <Choice
        label="Aggregation"
        all="Default aggregation"
        values={BUCKET_VALUES}
        value={agg}
        onChange={(agg) => set({ agg })}
      />
      {chosen.length < 2 ? null : (
        <Select
          label="Charts"
          options={[
            { value: '', label: 'Together, by unit' },
            { value: 'each', label: 'A chart for each series' },
          ]}
          value={charts ?? ''}
          onChange={(charts) => set({ charts })}
        />
      )}
      <Select
        label="Comparison"
        options={[
          { value: '', label: 'No comparison' },
          { value: 'before', label: 'Previous period' },
        ]}
        value={compare ?? ''}
        // On a chart of several series their pasts could not be told apart.
        onChange={(compare) => set(compare !== '' && chosen.length > 1 ? { compare, charts: 'each' } : { compare })}
      />
    </div>
  );
}

function AddSeries(props: { chosen: readonly string[]; onChoose: (names: readonly string[]) => void }): ReactNode {
  const { chosen, onChoose } = props;
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Add series
      </button>
      {isOpen ? (
        <SeriesPicker chosen={chosen} chosenMax={SERIES_MAX} onClose={() => setOpen(false)} onChoose={onChoose} />
      ) : null}
    </>
  );
}
