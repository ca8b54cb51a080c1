/** A chart as uPlot draws it, in the page's colours. A file of its own, with the library: the first page is of use without it. */
import uPlot from 'uplot';
import { timeZone } from '../preferences/preferences.ts';
import { stacked } from './buckets.ts';
import { timeLabels } from './chart-axis.ts';
import { type ChartLine, colourName, extremes, type Values, valuesOf } from './chart-line.ts';

export interface Drawing {
  readonly lines: readonly ChartLine[];
  readonly startMs: number;
  readonly endMs: number;
  readonly stepMs: number;
  readonly height: number;
  readonly isStacked: boolean;
  readonly crosshair: string | undefined;
  readonly onZoom: ((startMs: number, endMs: number) => void) | undefined;
  readonly onCursor: (cursor: Cursor) => void;
}

/** Where the pointer is: the time, and each line's value there. */
export interface Cursor {
  readonly seconds: number | undefined;
  readonly values: readonly (number | null | undefined)[];
}

const NO_CURSOR: Cursor = { seconds: undefined, values: [] };

function cursorOf(plot: uPlot, [times, ...values]: Values): Cursor {
  const { idx } = plot.cursor;
  if (idx === null || idx === undefined || (plot.cursor.left ?? -1) < 0) return NO_CURSOR;
  return { seconds: times[idx], values: values.map((column) => column[idx]) };
}

/** Draws in the element, and again when its width changes; what it returns ends that. */
export function draw(element: HTMLElement, drawing: Drawing): () => void {
  const { lines, startMs, endMs, stepMs, height, isStacked, onCursor } = drawing;
  const values = valuesOf(lines, startMs, endMs, stepMs);
  const data = isStacked ? [values[0], ...stacked(values.slice(1) as number[][]).reverse()] : values;
  const options = optionsOf(element, { ...drawing, onCursor: (plot) => onCursor(cursorOf(plot, values)) });
  const plot = new uPlot(options, data as uPlot.AlignedData, element);
  const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
  observer.observe(element);
  return () => {
    observer.disconnect();
    plot.destroy();
  };
}

/** Below this many pixels a drag is a click that moved. */
const ZOOM_PX_MIN = 8;

type Drawn = Omit<Drawing, 'onCursor'> & { readonly onCursor: (plot: uPlot) => void };

function optionsOf(element: HTMLElement, drawn: Drawn): uPlot.Options {
  const colour = (name: string): string => colourOf(element, name);
  const axis = { stroke: colour('--muted'), font: FONT, ticks: { show: false } };
  const grid = { stroke: colour('--line'), width: 1 };
  const units = [...new Set(drawn.lines.map(scaleOf))];
  const { onZoom, crosshair, isStacked } = drawn;
  const isDense = (drawn.endMs - drawn.startMs) / drawn.stepMs > DENSE_BUCKETS;
  const series = drawn.lines.map((line, i) =>
    seriesOf(line, colour(`--${colourName(i, line.isFailure)}`), {
      isBar: line.isCounted && (isStacked || drawn.lines.length === 1),
      isDense,
    }),
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
    // Nothing is in MiB where all else is in GiB.
    values: (_, ticks) =>
      ticks.map((tick) => (tick === 0 && lines[0]?.unit === 'MB' ? '0' : format(tick).replace(/\.00$/, ''))),
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

/** From here on thick lines run into each other. */
const DENSE_BUCKETS = 400;

function seriesOf(
  line: ChartLine,
  stroke: string,
  { isBar, isDense }: { isBar: boolean; isDense: boolean },
): uPlot.Series {
  const common = { label: line.label, scale: scaleOf(line), stroke };
  const width = isDense ? 1 : 2;
  const { bars, stepped } = uPlot.paths;
  if (isBar && bars)
    return { ...common, width: 0, fill: stroke, paths: bars({ size: [0.82, 48], align: 1 }), points: { show: false } };
  // Several counted lines would hide each other as bars.
  if (line.isCounted && stepped) return { ...common, width, paths: stepped({ align: 1 }), points: { show: false } };
  return { ...common, width, points: { size: 5, fill: stroke, filter: lonePoints } };
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
