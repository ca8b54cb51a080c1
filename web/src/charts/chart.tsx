/** A chart: uPlot drawn in the page's colours, at the width that there is. Dragging over it chooses a range. */
import { type ReactNode, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { currentTheme, onThemeChange } from '../parts/theme.ts';
import { localText } from '../parts/time.tsx';
import { timeZone } from '../preferences/preferences.ts';
import { bucketTimes, stacked, valuesAt } from './buckets.ts';
import { timeLabels } from './chart-axis.ts';

export interface ChartLine {
  readonly label: string;
  /** Ascending by time. */
  readonly points: readonly { readonly time: string; readonly value: number }[];
  readonly format: (value: number) => string;
  /** Lines of one unit share an axis. */
  readonly unit?: string;
  /** Of what is counted: a bucket without a sample is 0. A measured value has a gap there. */
  readonly isCounted: boolean;
  /** Of what failed: red, which nothing else is. */
  readonly isFailure?: boolean;
}

interface ChartProps {
  readonly title: string;
  readonly lines: readonly ChartLine[];
  /** Milliseconds since 1970; the whole range is shown, also where it has no points. */
  readonly startMs: number;
  readonly endMs: number;
  /** Between the points of every line. */
  readonly stepMs: number;
  /** Bars on top of each other, so that their height is the sum; all lines are counted in one unit. */
  readonly isStacked?: boolean;
  /** Charts with the same name show the same moment under the pointer. */
  readonly crosshair?: string;
  readonly height?: number;
  readonly onZoom?: ((startMs: number, endMs: number) => void) | undefined;
  /** While the values are asked for, none of them is missing. */
  readonly isPending?: boolean;
}

const COLOURS = 5;
/** Below this many pixels a drag is a click that moved. */
const ZOOM_PX_MIN = 8;

export function Chart(props: ChartProps): ReactNode {
  const { title, lines, startMs, endMs, stepMs, height = 180, onZoom, isStacked = false, crosshair } = props;
  const holder = useRef<HTMLDivElement>(null);
  const [cursor, setCursor] = useState<Cursor>(NO_CURSOR);
  const theme = useSyncExternalStore(onThemeChange, themeKey);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the theme is read through the style of the page
  useEffect(() => {
    const element = holder.current;
    if (!element) return undefined;
    const values = valuesOf(lines, startMs, endMs, stepMs);
    const onCursor = (plot: uPlot): void => setCursor(cursorOf(plot, values));
    const drawn = { lines, startMs, endMs, stepMs, height, onZoom, onCursor, isStacked, crosshair };
    const data = isStacked ? [values[0], ...stacked(values.slice(1) as number[][]).reverse()] : values;
    const plot = new uPlot(optionsOf(element, drawn), data as uPlot.AlignedData, element);
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [lines, startMs, endMs, stepMs, height, onZoom, theme, isStacked, crosshair]);
  const isEmpty = !props.isPending && lines.every(({ points }) => points.length === 0);
  return (
    <div className="chart">
      <Legend title={title} lines={lines} cursor={cursor} />
      <div className="chart-plot">
        <div ref={holder} role="img" aria-label={`${title}: ${summaryOf(lines)}`} style={{ minHeight: height }} />
        {isEmpty ? <p className="chart-empty">No values in this range</p> : null}
      </div>
    </div>
  );
}

/** Where the pointer is: the time, and each line's value there. */
interface Cursor {
  readonly seconds: number | undefined;
  readonly values: readonly (number | null | undefined)[];
}

const NO_CURSOR: Cursor = { seconds: undefined, values: [] };

function cursorOf(plot: uPlot, [times, ...values]: Values): Cursor {
  const { idx } = plot.cursor;
  if (idx === null || idx === undefined || (plot.cursor.left ?? -1) < 0) return NO_CURSOR;
  return { seconds: times[idx], values: values.map((column) => column[idx]) };
}

function Legend(props: { title: string; lines: readonly ChartLine[]; cursor: Cursor }): ReactNode {
  const { title, lines, cursor } = props;
  return (
    <ul className="chart-legend">
      {lines.map(({ label, format, isFailure }, i) => {
        const value = cursor.values[i];
        return (
          <li key={label}>
            {/* One line of the chart's own name needs no key. */}
            {label === title ? null : (
              <>
                <span className={`swatch ${colourName(i, isFailure)}`} aria-hidden="true" /> {label}
              </>
            )}
            {value === null || value === undefined ? null : <strong> {format(value)}</strong>}
          </li>
        );
      })}
      <li className="chart-time">
        {cursor.seconds === undefined ? '' : localText(new Date(cursor.seconds * 1000).toISOString())}
      </li>
    </ul>
  );
}

/** Of a line, by its place: a class, and a name of the style sheet. */
function colourName(place: number, isFailure: boolean | undefined): string {
  return isFailure ? 'chart-failed' : `chart-${(place % COLOURS) + 1}`;
}

/** Changes when colours do; the style of the page is read again then. */
function themeKey(): string {
  return `${currentTheme()}/${window.matchMedia('(prefers-color-scheme: dark)').matches}`;
}

/** What a reader who does not see the lines gets. */
function summaryOf(lines: readonly ChartLine[]): string {
  return lines
    .map(({ label, points, format }) => {
      const values = points.map(({ value }) => value);
      if (values.length === 0) return `${label} has no points`;
      const { min, max } = extremes(values);
      return `${label} from ${format(min)} to ${format(max)}, ${values.length} points`;
    })
    .join('; ');
}

function extremes(values: readonly number[]): { min: number; max: number } {
  return values.reduce(({ min, max }, value) => ({ min: Math.min(min, value), max: Math.max(max, value) }), {
    min: Number.POSITIVE_INFINITY,
    max: Number.NEGATIVE_INFINITY,
  });
}

type Values = readonly [times: number[], ...values: (number | null)[][]];

/** All lines on one row of times. */
function valuesOf(lines: readonly ChartLine[], startMs: number, endMs: number, stepMs: number): Values {
  const times = bucketTimes(startMs, Math.min(endMs, Date.now()), stepMs);
  // A line without any point tells nothing, not that it is 0.
  const missing = ({ isCounted, points }: ChartLine): 0 | null => (isCounted && points.length > 0 ? 0 : null);
  return [times, ...lines.map((line) => valuesAt(times, line.points, missing(line)))];
}

type Drawn = Pick<ChartProps, 'lines' | 'startMs' | 'endMs' | 'stepMs' | 'onZoom'> & {
  readonly height: number;
  readonly onCursor: (plot: uPlot) => void;
  readonly isStacked: boolean;
  readonly crosshair: string | undefined;
};

function optionsOf(element: HTMLElement, drawn: Drawn): uPlot.Options {
  const colour = (name: string): string => colourOf(element, name);
  const axis = { stroke: colour('--muted'), font: FONT, ticks: { show: false } };
  const grid = { stroke: colour('--line'), width: 1 };
  const units = [...new Set(drawn.lines.map(scaleOf))];
  const { onZoom, crosshair, isStacked } = drawn;
  const series = drawn.lines.map((line, i) =>
    seriesOf(
      line,
      colour(`--${colourName(i, line.isFailure)}`),
      line.isCounted && (isStacked || drawn.lines.length === 1),
    ),
  );
  return {
    width: element.clientWidth,
    // Where days begin, and so where the ticks are.
    ...(timeZone.current() === 'utc' ? { tzDate: (at: number) => uPlot.tzDate(new Date(at * 1000), 'Etc/UTC') } : {}),
    height: drawn.height,
    padding: [8, units.length > 1 ? 0 : 12, 0, 0],
    legend: { show: false },
    cursor: {
      drag: { x: onZoom !== undefined, y: false, setScale: false },
      y: false,
      points: { show: !isStacked },
      ...(crosshair === undefined ? {} : { sync: { key: crosshair, scales: ['x', null] } }),
    },
    scales: {
      x: { time: true, range: [drawn.startMs / 1000, drawn.endMs / 1000] },
      ...Object.fromEntries(units.map((unit) => [unit, { range: upFromZero }])),
    },
    axes: [
      { ...axis, grid, space: 76, size: 24, values: (_, ticks, __, ___, step) => timeLabels(ticks, step) },
      ...units.map((unit, i) => ({
        ...axis,
        ...valueAxis(
          drawn.lines.filter((line) => scaleOf(line) === unit),
          isStacked,
        ),
        scale: unit,
        side: i === 0 ? 3 : 1,
        grid: i === 0 ? grid : { show: false },
      })),
    ],
    // The sum lies behind what it is the sum of.
    series: [{}, ...(isStacked ? series.reverse() : series)],
    hooks: { setCursor: [drawn.onCursor], ...(onZoom ? { setSelect: [(plot) => zoomed(plot, onZoom)] } : {}) },
  };
}

const FONT = '12px Inter, system-ui, sans-serif';

function scaleOf({ unit }: ChartLine): string {
  return unit ?? 'y';
}

/** The space at the top keeps a line off the edge. */
function upFromZero(_: uPlot, min: number | null, max: number | null): [number, number] {
  return [Math.min(0, min ?? 0), max === null || max <= 0 ? 1 : max * 1.08];
}

function valueAxis(lines: readonly ChartLine[], isStacked: boolean): Partial<uPlot.Axis> {
  const format = lines[0]?.format ?? String;
  const tops = lines.map(({ points }) => extremes(points.map(({ value }) => value)).max);
  const max = isStacked ? tops.reduce((sum, top) => sum + Math.max(0, top), 0) : Math.max(...tops);
  // Ticks are rounder than values, but no longer than this.
  const widest = Number.isFinite(max) ? Math.max(format(max).length, format(Math.round(max)).length) : 0;
  return {
    size: Math.min(104, 16 + 7 * Math.max(3, Math.min(widest, 12))),
    // Whole amounts need no cents.
    ...stepsOf(lines[0]?.unit),
    values: (_, ticks) => ticks.map((tick) => format(tick).replace(/\.00$/, '')),
    space: 34,
  };
}

/** MB are shown as GiB from a thousand on: steps that are whole there. */
const BINARY_STEPS = Array.from({ length: 30 }, (_, power) => 2 ** power);
/** Seconds are shown as minutes, hours and days. */
const TIME_STEPS = [0.1, 0.5, 1, 5, 10, 30, 60, 300, 600, 1_800, 3_600, 7_200, 21_600, 43_200].concat(
  Array.from({ length: 20 }, (_, power) => 86_400 * 2 ** power),
);

/** There is no half of a job. */
const WHOLE_STEPS = [1, 2, 5]
  .flatMap((digit) => Array.from({ length: 13 }, (_, power) => digit * 10 ** power))
  .sort((a, b) => a - b);

/** Distances between ticks that are round as the unit is shown. */
function stepsOf(unit: string | undefined): { incrs?: number[] } {
  if (unit === 'count') return { incrs: WHOLE_STEPS };
  if (unit === 'MB') return { incrs: BINARY_STEPS };
  return unit === 'seconds' ? { incrs: TIME_STEPS } : {};
}

/** The colour itself: a canvas does not know the style sheet's names. */
function colourOf(element: HTMLElement, name: string): string {
  element.style.color = `var(${name})`;
  const { color } = getComputedStyle(element);
  element.style.color = '';
  return color;
}

function seriesOf(line: ChartLine, stroke: string, isBar: boolean): uPlot.Series {
  const common = { label: line.label, scale: scaleOf(line), stroke };
  const { bars, stepped } = uPlot.paths;
  if (isBar && bars)
    return { ...common, width: 0, fill: stroke, paths: bars({ size: [0.82, 48], align: 1 }), points: { show: false } };
  // Several counted lines would hide each other as bars.
  if (line.isCounted && stepped) return { ...common, width: 2, paths: stepped({ align: 1 }), points: { show: false } };
  return { ...common, width: 2, points: { size: 5, fill: stroke, filter: lonePoints } };
}

/** A value between two gaps is no line; it is drawn as a point, however many points there are. */
function lonePoints(plot: uPlot, seriesIndex: number, showsAll: boolean): number[] | null {
  if (showsAll) return null;
  const values = Array.from(plot.data[seriesIndex] ?? []);
  const isGap = (i: number): boolean => values[i] === null || values[i] === undefined;
  return values.flatMap((_, i) => (!isGap(i) && isGap(i - 1) && isGap(i + 1) ? [i] : []));
}

function zoomed(plot: uPlot, onZoom: (startMs: number, endMs: number) => void): void {
  const { left, width } = plot.select;
  if (width < ZOOM_PX_MIN) return;
  onZoom(plot.posToVal(left, 'x') * 1000, plot.posToVal(left + width, 'x') * 1000);
}
