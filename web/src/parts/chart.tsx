/** A line chart: uPlot drawn in the page's colours, at the width that there is. Dragging over it chooses a range. */
import { type ReactNode, useEffect, useRef, useSyncExternalStore } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { currentTheme, onThemeChange } from '../app/theme.ts';

export interface ChartLine {
  readonly label: string;
  /** Ascending by time. */
  readonly points: readonly { readonly time: string; readonly value: number }[];
  readonly format: (value: number) => string;
}

interface ChartProps {
  readonly title: string;
  readonly lines: readonly ChartLine[];
  /** Milliseconds since 1970; the whole range is shown, also where it has no points. */
  readonly startMs: number;
  readonly endMs: number;
  readonly height?: number;
  readonly onZoom?: ((startMs: number, endMs: number) => void) | undefined;
}

const COLOURS = 5;
/** Kept for the legend while there is nothing to draw, so that the page does not jump. */
const LEGEND_PX = 28;
/** Below this many pixels a drag is a click that moved. */
const ZOOM_PX_MIN = 8;

export function Chart(props: ChartProps): ReactNode {
  const { title, lines, startMs, endMs, height = 180, onZoom } = props;
  const holder = useRef<HTMLDivElement>(null);
  const theme = useSyncExternalStore(onThemeChange, themeKey);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the theme is read through the style of the page
  useEffect(() => {
    const element = holder.current;
    if (!element) return undefined;
    const plot = new uPlot(optionsOf(element, { lines, startMs, endMs, height, onZoom }), dataOf(lines), element);
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [lines, startMs, endMs, height, onZoom, theme]);
  return (
    <div className="chart">
      <div
        ref={holder}
        role="img"
        aria-label={`${title}: ${summaryOf(lines)}`}
        style={{ minHeight: height + LEGEND_PX }}
      />
    </div>
  );
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

/** All lines on one row of times; a line has a gap where only others have a point. */
function dataOf(lines: readonly ChartLine[]): uPlot.AlignedData {
  const tables = lines.map(
    ({ points }): uPlot.AlignedData => [
      points.map(({ time }) => Date.parse(time) / 1000),
      points.map(({ value }) => value),
    ],
  );
  return tables.length === 0 ? [[]] : uPlot.join(tables);
}

type Drawn = Pick<ChartProps, 'lines' | 'startMs' | 'endMs' | 'onZoom'> & { readonly height: number };

function optionsOf(element: HTMLElement, drawn: Drawn): uPlot.Options {
  const style = getComputedStyle(element);
  const colour = (name: string): string => style.getPropertyValue(name).trim();
  const axis = { stroke: colour('--muted'), grid: { stroke: colour('--line'), width: 1 }, ticks: { show: false } };
  const format = drawn.lines[0]?.format ?? String;
  const widest = Math.max(0, ...drawn.lines.flatMap(({ points }) => points.map(({ value }) => format(value).length)));
  const { onZoom } = drawn;
  return {
    width: element.clientWidth,
    height: drawn.height,
    legend: { show: drawn.lines.length > 0, live: true },
    cursor: { drag: { x: onZoom !== undefined, y: false, setScale: false } },
    scales: {
      x: { time: true, range: [drawn.startMs / 1000, drawn.endMs / 1000] },
      y: { range: (_, min, max) => [Math.min(0, min), max <= 0 ? 1 : max * 1.08] },
    },
    axes: [
      { ...axis, space: 70 },
      {
        ...axis,
        size: Math.min(110, 24 + 7 * Math.max(4, widest)),
        values: (_, ticks) => ticks.map(format),
        space: 34,
      },
    ],
    series: [
      { label: 'Time', value: (_, seconds) => (seconds === null ? '–' : new Date(seconds * 1000).toLocaleString()) },
      ...drawn.lines.map(({ label, format: text }, i) => lineOf(label, text, colour(`--chart-${(i % COLOURS) + 1}`))),
    ],
    hooks: onZoom ? { setSelect: [(plot) => zoomed(plot, onZoom)] } : {},
  };
}

function lineOf(label: string, text: (value: number) => string, stroke: string): uPlot.Series {
  return {
    label,
    stroke,
    width: 2,
    spanGaps: true,
    points: { size: 4 },
    value: (_, value) => (value === null ? '–' : text(value)),
  };
}

function zoomed(plot: uPlot, onZoom: (startMs: number, endMs: number) => void): void {
  const { left, width } = plot.select;
  if (width < ZOOM_PX_MIN) return;
  onZoom(plot.posToVal(left, 'x') * 1000, plot.posToVal(left + width, 'x') * 1000);
}
