/** One measure, queue by queue: its course in bars of one scale, its sum, and how that differs from before. */
import { useQueries, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { queueObjectId } from '../../../../src/protocol/names/metric-names.ts';
import { barsOf } from '../../charts/buckets.ts';
import { extremes, sumOf } from '../../charts/chart-line.ts';
import { Select } from '../../controls/select.tsx';
import { countText, percentText, unitText } from '../../parts/format.ts';
import { StackTable } from '../../parts/stack-table.tsx';
import { Answered, Empty } from '../../parts/states.tsx';
import { timeZone, usePreference } from '../../preferences/preferences.ts';
import { beforeText, boundsOf, type Range, searchOf, whenText } from '../../range/range.ts';
import { changeText } from '../overview/change-text.ts';
import { isNothing, type RangeSeries, rangeSeriesQuery, rangeSummaryQuery } from '../overview/range-queries.ts';
import '../../styles/metrics.css';
import { barsOfPoints, MEASURES, type QueueSum, queueSums } from './queue-sums.ts';

/** Queues at first, and at most: each asks for a series. The page of all queues has the others. */
const ROWS_FIRST = 10;
const ROWS_MAX = 50;

interface ByQueueProps {
  readonly range: Range;
  /** Short name of a definition. */
  readonly measure: string | undefined;
  readonly onMeasure: (measure: string) => void;
  /** Series that one chart takes. */
  readonly chartMax: number;
}

export function ByQueue({ range, measure: id, onMeasure, chartMax }: ByQueueProps): ReactNode {
  const query = useQuery(rangeSummaryQuery(range));
  const measure = MEASURES.find((one) => one.id === id) ?? MEASURES[0];
  // Without a job the charts above have said so.
  if (!measure || (query.data && isNothing(query.data))) return null;
  return (
    <section className="panel by-queue" aria-labelledby="by-queue">
      <div className="panel-head">
        <h2 id="by-queue">
          By queue <span className="muted">{whenText(range)}</span>
        </h2>
        <Select
          label="Measure"
          options={MEASURES.map((one) => ({ value: one.id, label: one.name }))}
          value={measure.id}
          onChange={onMeasure}
        />
      </div>
      <p className="muted small">{measure.description}. Bars of all queues have one scale.</p>
      <Answered query={query} what="queues">
        {(data) => {
          const rows = queueSums(data, measure.id);
          return rows.length === 0 ? (
            <Empty title="Nothing in this range, in no queue">Choose another measure, or a longer range.</Empty>
          ) : (
            <Sums {...{ rows, measure, range, chartMax }} />
          );
        }}
      </Answered>
    </section>
  );
}

interface SumsProps extends Pick<ByQueueProps, 'range' | 'chartMax'> {
  readonly rows: readonly QueueSum[];
  readonly measure: (typeof MEASURES)[number];
}

function Sums({ rows, measure, range, chartMax }: SumsProps): ReactNode {
  const [isAll, setAll] = useState(false);
  // A button that shows one row takes as much room as the row.
  const first = rows.length > ROWS_FIRST + 1 ? ROWS_FIRST : rows.length;
  const shown = rows.slice(0, isAll ? ROWS_MAX : first);
  const more = Math.min(rows.length, ROWS_MAX) - shown.length;
  const courses = useCourses(shown, measure.id, range);
  const most = Math.max(
    ...courses.map((course) => extremes([0, ...(course?.points ?? []).map(({ value }) => value)]).max),
  );
  const sum = sumOf(rows.map(({ now }) => now));
  const earlier = sumOf(rows.map(({ before }) => before));
  const format = (value: number): string => unitText(value, measure.unit);
  const common = { sum, hasBefore: earlier !== 0, format, range, measure: measure.id };
  return (
    <>
      <StackTable label="By queue" className="queue-sums">
        <Heads {...common} />
        <tbody>
          {shown.map((row, i) => (
            <Row key={row.queue} row={row} {...common}>
              <Course of={courses[i]} most={most} isFailure={measure.id.endsWith('Failure')} />
            </Row>
          ))}
        </tbody>
        {rows.length > 1 ? (
          <tfoot>
            <tr>
              <th scope="row">{countText(rows.length)} queues</th>
              <td className="course" />
              <td data-label="Sum">{format(sum)}</td>
              <td className="share" />
              {earlier === 0 ? null : <td data-label="Change">{changeText(sum, earlier, format)}</td>}
              <td>
                <Link to="/explore" search={{ ...chartOf(rows.slice(0, chartMax), common), charts: 'each' }}>
                  {rows.length > chartMax ? `Chart the first ${chartMax}` : 'Chart all'}
                </Link>
              </td>
            </tr>
          </tfoot>
        ) : null}
      </StackTable>
      {more > 0 ? (
        <div className="table-more">
          <button type="button" className="compact" onClick={() => setAll(true)}>
            Show {countText(more)} more
          </button>
        </div>
      ) : rows.length > shown.length ? (
        <p className="muted small">
          {ROWS_MAX} of {countText(rows.length)} queues. <Link to="/queues">All queues</Link>
        </p>
      ) : null}
    </>
  );
}

function Heads({ range, hasBefore }: Common): ReactNode {
  return (
    <thead>
      <tr>
        <th scope="col">Queue</th>
        <th scope="col" className="left course">
          Course
        </th>
        <th scope="col">Sum</th>
        <th scope="col" className="share">
          Share
        </th>
        {hasBefore ? (
          <th scope="col" title={`Compared with ${beforeText(range)}`}>
            Change
          </th>
        ) : null}
        <th scope="col">
          <span className="hidden">Chart</span>
        </th>
      </tr>
    </thead>
  );
}

interface Common {
  /** Of all queues. */
  readonly sum: number;
  /** Whether there is anything to compare with. */
  readonly hasBefore: boolean;
  readonly format: (value: number) => string;
  readonly range: Range;
  readonly measure: string;
}

function Row({
  row,
  sum,
  hasBefore,
  format,
  children,
  ...of
}: Common & { row: QueueSum; children: ReactNode }): ReactNode {
  const { queue, now, before } = row;
  return (
    <tr>
      <th scope="row">
        <Link to="/queue" search={{ name: queue, ...searchOf(of.range) }}>
          {queue}
        </Link>
      </th>
      <td className="left course" data-label="Course">
        {children}
      </td>
      <td data-label="Sum">{format(now)}</td>
      <td data-label="Share" className="share">
        {percentText(now, sum)}
      </td>
      {hasBefore ? (
        <td data-label="Change" title={`${format(before)} in ${beforeText(of.range)}`}>
          {before === 0 ? <span className="muted">{format(0)} before</span> : changeText(now, before, format)}
        </td>
      ) : null}
      <td>
        <Link to="/explore" search={chartOf([row], of)} aria-label={`Chart of queue ${queue}`}>
          Chart
        </Link>
      </td>
    </tr>
  );
}

function chartOf(rows: readonly QueueSum[], { measure, range }: Pick<Common, 'measure' | 'range'>) {
  const series = rows.map(({ queue }) => `${queueObjectId(queue)}/metricDef-${measure}`).join(',');
  return { series, ...searchOf(range) };
}

/** In the order of the rows; undefined where it is not known yet, or could not be read. */
function useCourses(rows: readonly QueueSum[], definition: string, range: Range): readonly (RangeSeries | undefined)[] {
  const zone = usePreference(timeZone);
  const nowMs = Date.now();
  const bars = barsOf(boundsOf(range, nowMs, zone), nowMs);
  return useQueries({
    queries: rows.map(({ queue }) => rangeSeriesQuery({ object: queueObjectId(queue), definition, range, ...bars })),
    combine: (results) => results.map(({ data, isPlaceholderData }) => (isPlaceholderData ? undefined : data)),
  });
}

/** The figures beside it say what it shows, so readers of the page's text are not told of it. */
function Course(props: { of: RangeSeries | undefined; most: number; isFailure: boolean }): ReactNode {
  const { of: course, most, isFailure } = props;
  if (!course) return <span className="course-room" />;
  const { points, startMs, endMs, stepMs } = course;
  const steps = Math.max(1, Math.ceil((endMs - startMs) / stepMs));
  return (
    <svg
      className={isFailure ? 'course-bars course-failed' : 'course-bars'}
      viewBox={`0 0 ${steps} 1`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {barsOfPoints(points, startMs, stepMs, most).map(({ x, height }) => (
        <rect key={x} x={x + 0.1} y={1 - height} width={0.8} height={height} />
      ))}
    </svg>
  );
}
