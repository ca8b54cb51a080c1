/** A chart as uPlot draws it, in the page's colours. A file of its own, with the library: the first page is of use without it. */
import uPlot from 'uplot';
import type { Zone } from '../range/range.ts';
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
  readonly isNested: boolean;
  readonly crosshair: string | undefined;
  /** Names the page's colours: another name, other colours. */
  readonly theme: string;
  readonly zone: Zone;
  readonly onZoom: ((startMs: number, endMs: number) => void) | undefined;
  readonly onCursor: (cursor: Cursor) => void;
}

/** Where the pointer is: the time, and each line's value there. */
export interface Cursor {
  readonly seconds: number | undefined;
  /** Pixels from the left of the chart, and how wide that is. */
  readonly leftPx: number;
  readonly widthPx: number;
  readonly values: readonly (number | null | undefined)[];
}

const NO_CURSOR: Cursor = { seconds: undefined, leftPx: 0, widthPx: 0, values: [] };

function cursorOf(plot: uPlot, [times, ...values]: Values): Cursor {
  const { idx, left = -1 } = plot.cursor;
  if (idx === null || idx === undefined || left < 0) return NO_CURSOR;
  const leftPx = left + plot.over.offsetLeft;
  return { seconds: times[idx], leftPx, widthPx: plot.width, values: values.map((column) => column[idx]) };
}

/** Shows the drawing in the element: by the chart that is there if it is made the same way, else by another one. */
export function drawn(element: HTMLElement, drawing: Drawing, before: Plot | undefined): Plot {
  if (before?.shows(drawing)) return before;
  before?.end();
  return new Plot(element, drawing);
}

/** Making a chart costs ten times what other points in it cost. */
export class Plot {
  readonly #plot: uPlot;
  readonly #observer: ResizeObserver;
  #drawing: Drawing;
  #values: Values;

  constructor(element: HTMLElement, drawing: Drawing) {
    this.#drawing = drawing;
    this.#values = valuesIn(drawing);
    const options = optionsOf(
      element,
      () => this.#drawing,
      (plot) => this.#drawing.onCursor(cursorOf(plot, this.#values)),
    );
    const plot = new uPlot(options, dataOf(this.#values, drawing), element);
    this.#plot = plot;
    this.#observer = new ResizeObserver(() => {
      const { clientWidth: width } = element;
      if (width !== plot.width) plot.setSize({ width, height: this.#drawing.height });
    });
    this.#observer.observe(element);
  }

  /** Takes the points and the range of this drawing; false, and nothing done, where the chart would have to be made again. */
  shows(drawing: Drawing): boolean {
    if (shapeOf(drawing) !== shapeOf(this.#drawing)) return false;
    this.#drawing = drawing;
    this.#values = valuesIn(drawing);
    this.#plot.setData(dataOf(this.#values, drawing));
    return true;
  }

  end(): void {
    this.#observer.disconnect();
    this.#plot.destroy();
  }
}

function valuesIn({ lines, startMs, endMs, stepMs }: Drawing): Values {
  return valuesOf(lines, startMs, endMs, stepMs);
}

function dataOf(values: Values, { isStacked }: Drawing): uPlot.AlignedData {
  const [times, ...columns] = values;
  return (isStacked ? [times, ...stacked(columns).reverse()] : values) as uPlot.AlignedData;
}

/** All of a drawing that uPlot is told once, when it makes the chart. */
function shapeOf(drawing: Drawing): string {
  const { lines, height, isStacked, isNested, crosshair, theme, zone, onZoom } = drawing;
  const shapes = lines.map(({ label, unit, isCounted, isFailure }) => [label, unit, isCounted, isFailure]);
  const kind = [height, isStacked, crosshair, theme, zone, onZoom !== undefined, isNested, isDense(drawing)];
  return JSON.stringify([shapes, kind]);
}

function isDense({ startMs, endMs, stepMs }: Drawing): boolean {
  return (endMs - startMs) / stepMs > DENSE_BUCKETS;
}

/** Below this many pixels a drag is a click that moved. */
const ZOOM_PX_MIN = 8;

/** `now`: the drawing as it is at the moment, where points and range may be others than at first. */
function optionsOf(element: HTMLElement, now: () => Drawing, onCursor: (plot: uPlot) => void): uPlot.Options {
  const { theme, zone, lines, height, onZoom, crosshair, isStacked, isNested } = now();
  const colour = (name: string): string => colourOf(element, name, theme);
  const axis = { stroke: colour('--muted'), font: FONT, ticks: { show: false } };
  const grid = { stroke: colour('--line'), width: 1 };
  const units = [...new Set(lines.map(scaleOf))];
  const series = lines.map((line, i) =>
    seriesOf(line, colour(`--${colourName(line, i)}`), {
      isBar: line.isCounted && (isStacked || isNested || lines.length === 1),
      isThin: isDense(now()),
    }),
  );
  return {
    width: element.clientWidth,
    // Where days begin, and so where the ticks are.
    ...(zone === 'utc' ? { tzDate: (at: number) => uPlot.tzDate(new Date(at * 1000), 'Etc/UTC') } : {}),
    height,
    padding: [8, units.length > 1 ? 0 : 1, 0, 0],
    legend: { show: false },
    cursor: {
      drag: { x: onZoom !== undefined, y: false, setScale: false },
      y: false,
      points: { show: !isStacked && !isNested },
      ...(crosshair === undefined ? {} : { sync: { key: crosshair, scales: ['x', null] } }),
    },
    scales: {
      x: { time: true, range: () => [now().startMs / 1000, endSeconds(now())] },
      ...Object.fromEntries(units.map((unit) => [unit, { range: upFromZero }])),
    },
    axes: [
      {
        ...axis,
        grid,
        space: 76,
        size: 24,
        values: (plot, ticks, _, __, step) => fitting(plot, ticks, timeLabels(ticks, step)),
      },
      ...units.map((unit, i) => ({
        ...axis,
        ...valueAxis(unit, now),
        scale: unit,
        side: i === 0 ? 3 : 1,
        grid: i === 0 ? grid : { show: false },
      })),
    ],
    // The sum lies behind what it is the sum of.
    series: [{}, ...(isStacked ? series.reverse() : series)],
    hooks: { setCursor: [onCursor], ...(onZoom ? { setSelect: [(plot) => zoomed(plot, now().onZoom)] } : {}) },
  };
}

/** The bar of a bucket that is not over is as wide as the others. */
function endSeconds({ lines, endMs, stepMs }: Drawing): number {
  const isCut = lines.some(({ isCounted }) => isCounted);
  return (isCut ? Math.ceil(endMs / stepMs) * stepMs : endMs) / 1000;
}

/** Half of the longest label. */
const HALF_LABEL_PX = 22;

/** The labels without one that would be cut at the edge: a tick may be at the very end. */
function fitting(plot: uPlot, ticks: readonly number[], labels: readonly string[]): string[] {
  const { min, max } = plot.scales['x'] ?? {};
  if (min === undefined || max === undefined || plot.axes.length > 2) return [...labels];
  const width = plot.over?.clientWidth || plot.width;
  return labels.map((label, i) => (((max - (ticks[i] ?? min)) / (max - min)) * width < HALF_LABEL_PX ? '' : label));
}

const FONT = '12px Inter, system-ui, sans-serif';

function scaleOf({ unit }: ChartLine): string {
  return unit ?? 'y';
}

/** The space at the top keeps a line off the edge. */
function upFromZero(_: uPlot, min: number | null, max: number | null): [number, number] {
  return [Math.min(0, min ?? 0), max === null || max <= 0 ? 1 : max * 1.08];
}

function valueAxis(scale: string, now: () => Drawing): Partial<uPlot.Axis> {
  const [{ unit, format = String } = {}] = now().lines.filter((line) => scaleOf(line) === scale);
  return {
    size: () => axisWidth(now(), scale),
    // Whole amounts need no cents.
    ...stepsOf(unit),
    // Nothing is in MiB where all else is in GiB.
    values: (_, ticks) => ticks.map((tick) => (tick === 0 && unit === 'MB' ? '0' : format(tick).replace(/\.00$/, ''))),
    space: 34,
  };
}

/** Characters: charts beside and below each other begin at one line, where their values are usual. */
const WIDTH_MIN = 5;

/** Pixels that the values beside an axis take. */
function axisWidth({ lines, isStacked }: Drawing, scale: string): number {
  const shown = lines.filter((line) => scaleOf(line) === scale);
  const format = shown[0]?.format ?? String;
  const tops = shown.map(({ points }) => extremes(points.map(({ value }) => value)).max);
  const max = isStacked ? tops.reduce((sum, top) => sum + Math.max(0, top), 0) : Math.max(...tops);
  // Ticks are rounder than values, but no longer than this.
  const widest = Number.isFinite(max) ? Math.max(format(max).length, format(Math.round(max)).length) : 0;
  return Math.min(104, 16 + 7 * Math.max(WIDTH_MIN, Math.min(widest, 12)));
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

/** By theme and name: each is asked of the page once, as that lays the page out. */
const colours = new Map<string, string>();

/** The colour itself: a canvas does not know the style sheet's names. */
function colourOf(element: HTMLElement, name: string, theme: string): string {
  const key = `${theme} ${name}`;
  let colour = colours.get(key);
  if (colour === undefined) {
    element.style.color = `var(${name})`;
    colour = getComputedStyle(element).color;
    element.style.color = '';
    colours.set(key, colour);
  }
  return colour;
}

/** From here on thick lines run into each other. */
const DENSE_BUCKETS = 400;

function seriesOf(
  line: ChartLine,
  stroke: string,
  { isBar, isThin }: { isBar: boolean; isThin: boolean },
): uPlot.Series {
  const common = { label: line.label, scale: scaleOf(line), stroke };
  const width = isThin ? 1 : 2;
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

function zoomed(plot: uPlot, onZoom: Drawing['onZoom']): void {
  const { left, width } = plot.select;
  if (width < ZOOM_PX_MIN) return;
  onZoom?.(plot.posToVal(left, 'x') * 1000, plot.posToVal(left + width, 'x') * 1000);
}
