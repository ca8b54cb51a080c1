/** A chart as uPlot draws it, in the page's colours. A file of its own, with the library: the first page is of use without it. */
import uPlot from 'uplot';
import type { Zone } from '../range/range.ts';
import { timeLabels, valueLabels } from './chart-axis.ts';
import { type ChartLine, colourName, hasNoPoints, partialBucket, type Values, valuesOf } from './chart-line.ts';
import { kindsOf, type Layer, layersOf, reachOf } from './layers.ts';
import { partialFill } from './partial-fill.ts';
import { type ValueScale, valueScale } from './value-scale.ts';

export interface Drawing {
  readonly lines: readonly ChartLine[];
  readonly startMs: number;
  readonly endMs: number;
  readonly stepMs: number;
  readonly height: number;
  readonly crosshair: string | undefined;
  /** Whether 0 stands at the same height in every chart of a row. */
  readonly hasBand: boolean;
  /** Names the page's colours: another name, other colours. */
  readonly theme: string;
  readonly zone: Zone;
  readonly onZoom: ((startMs: number, endMs: number) => void) | undefined;
  readonly onCursor: (cursor: Cursor) => void;
}

/** Where the pointer is: the time, and each line's value there. */
export interface Cursor {
  readonly seconds: number | undefined;
  /** Pixels from the left of the chart. */
  readonly leftPx: number;
  readonly values: readonly (number | null | undefined)[];
}

const NO_CURSOR: Cursor = { seconds: undefined, leftPx: 0, values: [] };

/** Pixels of the values beside each chart: the same hour of charts below each other stands below itself. */
const GUTTER_PX = 60;
/** Pixels of the times below it, and between both. */
const TIMES_PX = 27;
const TIMES_GAP_PX = 8;
/** Half of a label above the topmost tick. */
const TOP_PX = 8;

function cursorOf(plot: uPlot, { lines }: Drawing, [times, ...values]: Values): Cursor {
  const { idx: nearest, left = -1 } = plot.cursor;
  if (nearest === null || nearest === undefined || left < 0) return NO_CURSOR;
  // A bar stands for what follows its time: in its right half the next one is nearer.
  const isAhead = lines.some(({ isCounted }) => isCounted) && (times[nearest] ?? 0) > plot.posToVal(left, 'x');
  const place = isAhead ? Math.max(0, nearest - 1) : nearest;
  const leftPx = left + plot.over.offsetLeft;
  return { seconds: times[place], leftPx, values: values.map((column) => column[place]) };
}

/** The points of a drawing, as of the moment when they came. */
interface Figures {
  readonly values: Values;
  readonly layers: readonly Layer[];
  readonly scale: ValueScale;
  /** Place of the bucket that is not over; else -1. */
  readonly partial: number;
}

function figuresOf(drawing: Drawing): Figures {
  const { lines, height, hasBand } = drawing;
  const nowMs = Date.now();
  const values = valuesOf(lines, drawing, nowMs);
  const layers = layersOf(lines, values);
  const ceilings = lines.map(({ ceiling }) => ceiling ?? Number.NaN);
  const ceiling = Math.max(...ceilings);
  const { top, depth } = reachOf(layers);
  const scale = valueScale({
    top: Math.max(top, ...lines.map(({ reach }) => reach ?? 0)),
    depth,
    unit: lines[0]?.unit,
    ceiling: Number.isNaN(ceiling) ? undefined : ceiling,
    heightPx: height - TIMES_PX - TOP_PX,
    hasBand,
  });
  return { values, layers, scale, partial: partialBucket(values[0], drawing, nowMs) };
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
  #figures: Figures;

  constructor(element: HTMLElement, drawing: Drawing) {
    this.#drawing = drawing;
    this.#figures = figuresOf(drawing);
    const options = optionsOf(element, {
      drawing: () => this.#drawing,
      figures: () => this.#figures,
    });
    const plot = new uPlot(options, dataOf(this.#figures), element);
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
    this.#figures = figuresOf(drawing);
    this.#plot.setData(dataOf(this.#figures));
    // Other ticks, also where the axis ends where it did.
    this.#plot.redraw(false, true);
    return true;
  }

  end(): void {
    this.#observer.disconnect();
    this.#plot.destroy();
  }
}

/** What a bar below 0 is drawn as at least, of the height of the axis: one that is there is seen. */
const BAR_SHARE_MIN = 0.025;

function dataOf({ values: [times], layers, scale }: Figures): uPlot.AlignedData {
  const least = (scale.max - scale.min) * BAR_SHARE_MIN;
  const seen = (value: number | null): number | null => (value !== null && value < 0 ? Math.min(-least, value) : value);
  return [
    times,
    ...layers.map(({ kind, values }) => (kind === 'bar' ? values.map(seen) : [...values])),
  ] as uPlot.AlignedData;
}

/** All of a drawing that uPlot is told once, when it makes the chart. */
function shapeOf(drawing: Drawing): string {
  const { lines, height, crosshair, hasBand, theme, zone, onZoom } = drawing;
  const shapes = lines.map(({ label, unit, isCounted, isFailure, isBelow, isBefore }) => [
    label,
    unit,
    isCounted,
    isFailure,
    isBelow,
    isBefore,
  ]);
  return JSON.stringify([
    shapes,
    height,
    crosshair,
    hasBand,
    theme,
    zone,
    onZoom !== undefined,
    isDense(drawing),
    hasNoPoints(lines),
  ]);
}

function isDense({ startMs, endMs, stepMs }: Drawing): boolean {
  return (endMs - startMs) / stepMs > DENSE_BUCKETS;
}

/** Charts follow the pointer in another one; a drag is of that one alone, or each would lead to its own page. */
const FOLLOWS: uPlot.Cursor.Sync.Filters = { sub: (type) => type === 'mousemove' || type === 'mouseleave' };

/** Below this many pixels a drag is a click that moved. */
const ZOOM_PX_MIN = 8;

/** The chart as it is at the moment, where points and range may be others than at first. */
interface Now {
  readonly drawing: () => Drawing;
  readonly figures: () => Figures;
}

function optionsOf(element: HTMLElement, now: Now): uPlot.Options {
  const { theme, zone, lines, height, onZoom, crosshair } = now.drawing();
  const colour = (name: string): string => colourOf(element, name, theme);
  const axis = { stroke: colour('--muted'), font: FONT, ticks: { show: false } };
  const grid = { stroke: colour('--line'), width: 1 };
  // Of no values, lines and figures would say what is not so, and run through the text that says that there are none.
  const isBlank = hasNoPoints(lines);
  const kinds = kindsOf(lines);
  const colourAt = (i: number, line: ChartLine): string => colour(`--${colourName(line, i)}`);
  return {
    width: element.clientWidth,
    // Where days begin, and so where the ticks are.
    ...(zone === 'utc' ? { tzDate: (at: number) => uPlot.tzDate(new Date(at * 1000), 'Etc/UTC') } : {}),
    height,
    padding: [TOP_PX, OVERHANG_PX + 1, 0, 0],
    legend: { show: false },
    cursor: {
      drag: { x: onZoom !== undefined, y: false, setScale: false },
      y: false,
      points: { show: kinds.every(({ kind }) => kind === 'line') },
      ...(crosshair === undefined ? {} : { sync: { key: crosshair, scales: ['x', null], filters: FOLLOWS } }),
    },
    scales: {
      x: { time: true, range: () => [now.drawing().startMs / 1000, endSeconds(now.drawing())] },
      y: { range: () => [now.figures().scale.min, now.figures().scale.max] },
    },
    axes: [
      {
        ...axis,
        grid: { ...grid, show: !isBlank },
        space: 76,
        size: TIMES_PX,
        gap: TIMES_GAP_PX,
        values: (plot, ticks, _, __, step) => fitting(plot, ticks, timeLabels(ticks, step, zone)),
      },
      {
        ...axis,
        grid,
        size: GUTTER_PX,
        splits: () => (isBlank ? [0] : [...now.figures().scale.ticks]),
        values: (_, ticks) => valueLabels(ticks, labelledOf(now.drawing())),
      },
    ],
    series: [
      {},
      ...kinds.map(({ line, place, kind }) => {
        const stroke = colourAt(place, line);
        if (kind === 'bar') return barsOf(line, stroke, partialFill(stroke, colour('--surface')), now);
        if (kind === 'edge') return outlineOf(line, stroke);
        return kind === 'outline'
          ? outlineOf(line, stroke, colour('--chart-before-ground'))
          : lineOf(line, stroke, isDense(now.drawing()));
      }),
    ],
    hooks: {
      setCursor: [(plot) => now.drawing().onCursor(cursorOf(plot, now.drawing(), now.figures().values))],
      ...(onZoom ? { setSelect: [(plot) => zoomed(plot, now.drawing().onZoom)] } : {}),
    },
  };
}

/** The bar of a bucket that is not over is as wide as the others; a line above or below it ends at the same time. */
function endSeconds({ endMs, stepMs }: Drawing): number {
  return (Math.ceil(endMs / stepMs) * stepMs) / 1000;
}

/** All lines have one unit. */
function labelledOf({ lines }: Drawing): Parameters<typeof valueLabels>[1] {
  return { ...(lines[0] ?? { format: String }), isBelow: lines.some(({ isBelow }) => isBelow) };
}

/** What the drawing has beyond the end of its lines, within the padding of its panel: a label below the very end has room there. */
const OVERHANG_PX = 16;
/** Half of a character, with the space between two. */
const HALF_CHARACTER_PX = 3.2;

/** The labels without one that would be cut at the edge: a tick may be at the very end. */
function fitting(plot: uPlot, ticks: readonly number[], labels: readonly string[]): string[] {
  const { min, max } = plot.scales['x'] ?? {};
  if (min === undefined || max === undefined) return [...labels];
  const width = plot.over?.clientWidth || plot.width;
  const roomAt = (tick = min): number => ((max - tick) / (max - min)) * width + OVERHANG_PX;
  return labels.map((label, i) => (roomAt(ticks[i]) < label.length * HALF_CHARACTER_PX ? '' : label));
}

const FONT = '12px Inter, system-ui, sans-serif';

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

/** `partial`: how the bar of a bucket is filled that is not over, which would else look like a fall. */
function barsOf(line: ChartLine, fill: string, partial: CanvasPattern | string, now: Now): uPlot.Series {
  const values = (): (CanvasPattern | string)[] =>
    now.figures().values[0].map((_, i) => (i === now.figures().partial ? partial : fill));
  const { bars } = uPlot.paths;
  return {
    label: line.label,
    scale: 'y',
    stroke: fill,
    width: 0,
    fill,
    points: { show: false },
    // Its types know no patterns; the canvas does.
    ...(bars
      ? { paths: bars({ size: [0.82, 48], align: 1, disp: { fill: { unit: 3, values: values as () => string[] } } }) }
      : {}),
  };
}

/** What was before: filled behind the bars, and its edge over them. */
function outlineOf({ label }: ChartLine, stroke: string, fill?: string): uPlot.Series {
  const { stepped } = uPlot.paths;
  return {
    label,
    scale: 'y',
    stroke,
    ...(fill === undefined ? {} : { fill }),
    width: 1,
    points: { show: false },
    ...(stepped ? { paths: stepped({ align: 1, ascDesc: true, extend: true }) } : {}),
  };
}

function lineOf({ label }: ChartLine, stroke: string, isThin: boolean): uPlot.Series {
  return { label, scale: 'y', stroke, width: isThin ? 1 : 2, points: { size: 5, fill: stroke, filter: lonePoints } };
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
  // The stretch that was dragged over is not marked on what the chart shows after that.
  plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  if (width < ZOOM_PX_MIN) return;
  onZoom?.(plot.posToVal(left, 'x') * 1000, plot.posToVal(left + width, 'x') * 1000);
}
