/** A chart: uPlot drawn in the page's colours, at the width that there is. Dragging over it chooses a range. */
import { type ReactNode, type RefObject, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import 'uplot/dist/uPlot.min.css';
import { painted } from '../browser/painted.ts';
import { fetchedAhead } from '../chunks/fetch-ahead.ts';
import { ChartFailure } from '../parts/states.tsx';
import { currentTheme, onThemeChange } from '../parts/theme.ts';
import { localText } from '../parts/time.tsx';
import { timeZone, usePreference } from '../preferences/preferences.ts';
import { type ChartLine, colourName, extremes } from './chart-line.ts';
import type { Cursor, Plot } from './plot.ts';

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
  /** Bars in front of each other, each from 0: of what is no part of what stands behind it. */
  readonly isNested?: boolean;
  /** Charts with the same name show the same moment under the pointer. */
  readonly crosshair?: string;
  readonly height?: number;
  /** What stands there without values; `No values in this range` by itself. */
  readonly emptyText?: string;
  /** Where there are no values: one line so high, instead of the axes. */
  readonly emptyHeight?: number;
  readonly onZoom?: ((startMs: number, endMs: number) => void) | undefined;
  /** While the values are asked for, none of them is missing. */
  readonly isPending?: boolean;
  /** Why there are no values, where they could not be read. */
  readonly error?: Error | null | undefined;
}

const loadPlot = fetchedAhead(() => import('./plot.ts'));
/** Pixels in height, up to which a box of values would hide the better part of a chart. */
const SMALL_PX = 200;
/** Nowhere. */
const NO_CURSOR: Cursor = { seconds: undefined, leftPx: 0, widthPx: 0, values: [] };

export function Chart(props: ChartProps): ReactNode {
  const { title, lines, startMs, endMs, stepMs, height = 180, onZoom, crosshair } = props;
  const { isStacked = false, isNested = false, emptyHeight } = props;
  const holder = useRef<HTMLDivElement>(null);
  const plot = useRef<Plot>(undefined);
  const [cursor, setCursor] = useState<Cursor>(NO_CURSOR);
  const theme = useSyncExternalStore(onThemeChange, themeKey);
  const zone = usePreference(timeZone);
  const isBlank = lines.every(({ points }) => points.length === 0);
  const isWaiting = isBlank && props.isPending === true;
  const isEmpty = isBlank && !props.isPending;
  // A grid by itself, with figures at its lines, would say what is not so.
  const isLine = isEmpty && emptyHeight !== undefined;
  const [isHovered, setHovered] = useState(false);
  useEffect(() => {
    const element = holder.current;
    // Axes without a value say nothing, and cost as much as the chart.
    if (!element || isWaiting) return undefined;
    if (isLine) {
      end(plot);
      return undefined;
    }
    let isStale = false;
    const drawing = {
      theme,
      zone,
      lines,
      startMs,
      endMs,
      stepMs,
      height,
      onZoom,
      onCursor: setCursor,
      isStacked,
      isNested,
      crosshair,
    };
    // Without the server what was not fetched yet is fetched later; the bar above the page says that it is away.
    void Promise.all([loadPlot(), painted()]).then(
      ([{ drawn }]) => {
        if (!isStale) plot.current = drawn(element, drawing, plot.current);
      },
      () => undefined,
    );
    return () => {
      isStale = true;
    };
  }, [isWaiting, isLine, lines, startMs, endMs, stepMs, height, onZoom, theme, zone, isStacked, isNested, crosshair]);
  useEffect(() => () => end(plot), []);
  return (
    <div className="chart">
      <Legend title={title} lines={lines} />
      <div className="chart-plot" onPointerEnter={() => setHovered(true)} onPointerLeave={() => setHovered(false)}>
        <div
          ref={holder}
          role="img"
          aria-label={`${title}: ${summaryOf(lines)}`}
          style={{ minHeight: isLine ? emptyHeight : height }}
        />
        {/* Of small charts that share a moment, boxes would hide what the others show of it. */}
        {isHovered || height > SMALL_PX ? <Values lines={lines} cursor={cursor} /> : null}
        {isEmpty ? (
          <p className="chart-empty">
            {props.error ? <ChartFailure error={props.error} /> : (props.emptyText ?? 'No values in this range')}
          </p>
        ) : null}
      </div>
    </div>
  );
}

function end(plot: RefObject<Plot | undefined>): void {
  plot.current?.end();
  plot.current = undefined;
}

function Legend({ title, lines }: { title: string; lines: readonly ChartLine[] }): ReactNode {
  // One line of the chart's own name needs no key.
  if (lines.every(({ label }) => label === title)) return null;
  return (
    <ul className="chart-legend">
      {lines.map((line, i) => (
        <li key={line.label}>
          <span className={`swatch ${colourName(line, i)}`} aria-hidden="true" /> {line.label}
        </li>
      ))}
    </ul>
  );
}

/** Over the chart: nothing on the page moves. */
function Values({ lines, cursor }: { lines: readonly ChartLine[]; cursor: Cursor }): ReactNode {
  const { seconds, leftPx, widthPx, values } = cursor;
  if (seconds === undefined) return null;
  // At the side where the pointer is not, and within the chart.
  return (
    <div className={leftPx > widthPx / 2 ? 'chart-values chart-values-left' : 'chart-values'}>
      <div className="muted">{localText(new Date(seconds * 1000).toISOString())}</div>
      {lines.map((line, i) => {
        const { label, format } = line;
        const value = values[i];
        if (value === null || value === undefined) return null;
        return (
          <div key={label} className="chart-value">
            <span className={`swatch ${colourName(line, i)}`} aria-hidden="true" />
            <span>{label}</span>
            <strong>{format(value)}</strong>
          </div>
        );
      })}
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
