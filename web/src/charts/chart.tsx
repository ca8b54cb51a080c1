/** A chart: uPlot drawn in the page's colours, at the width that there is. Dragging over it chooses a range. */
import { onlineManager } from '@tanstack/react-query';
import { type ReactNode, type RefObject, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import 'uplot/dist/uPlot.min.css';
import { painted } from '../browser/painted.ts';
import { fetchedAhead } from '../chunks/fetch-ahead.ts';
import { ChartFailure } from '../parts/states.tsx';
import { currentTheme, onThemeChange } from '../parts/theme.ts';
import { timeZone, usePreference } from '../preferences/preferences.ts';
import { bucketText } from './chart-axis.ts';
import { type ChartLine, colourName, extremes, hasNoPoints, unfinishedText } from './chart-line.ts';
import type { Cursor, Plot } from './plot.ts';

interface ChartProps {
  readonly title: string;
  readonly lines: readonly ChartLine[];
  /** Milliseconds since 1970; the whole range is shown, also where it has no points. */
  readonly startMs: number;
  readonly endMs: number;
  /** Between the points of every line. */
  readonly stepMs: number;
  /** Charts with the same name show the same moment under the pointer. */
  readonly crosshair?: string;
  readonly height?: number;
  /** Of charts beside each other: 0 stands at the same height in all of them, with room for what failed below it. */
  readonly hasBand?: boolean;
  /** What stands there without values; `No values in this range` by itself. */
  readonly emptyText?: string;
  /** Where there are no values: one line so high, instead of the axes. */
  readonly emptyHeight?: number;
  readonly onZoom?: ((startMs: number, endMs: number) => void) | undefined;
  /** Whether its legend explains how the bar of a bucket is filled that is not over. */
  readonly tellsUnfinished?: boolean;
  /** While the values are asked for, none of them is missing. */
  readonly isPending?: boolean;
  /** Why there are no values, where they could not be read. */
  readonly error?: Error | null | undefined;
}

const loadPlot = fetchedAhead(() => import('./plot.ts'));
const subscribeOnline = (listener: () => void): (() => void) => onlineManager.subscribe(listener);
const isOnline = (): boolean => onlineManager.isOnline();
/** Nowhere. */
const NO_CURSOR: Cursor = { seconds: undefined, leftPx: 0, values: [] };

export function Chart(props: ChartProps): ReactNode {
  const { title, lines, startMs, endMs, stepMs, height = 180, onZoom, crosshair, hasBand = false } = props;
  const { emptyHeight } = props;
  const holder = useRef<HTMLDivElement>(null);
  const plot = useRef<Plot>(undefined);
  const [cursor, setCursor] = useState<Cursor>(NO_CURSOR);
  const theme = useSyncExternalStore(onThemeChange, themeKey);
  const zone = usePreference(timeZone);
  const isBlank = hasNoPoints(lines);
  const isWaiting = isBlank && props.isPending === true;
  const isEmpty = isBlank && !props.isPending;
  const isAway = !useSyncExternalStore(subscribeOnline, isOnline);
  // A grid by itself, with figures at its lines, would say what is not so.
  const isLine = isEmpty && emptyHeight !== undefined;
  useEffect(() => {
    const element = holder.current;
    // Axes without a value say nothing, and cost as much as the chart.
    if (!element || (isWaiting && !isAway)) return undefined;
    // What is drawn is of another range, and no other will come.
    if (isLine || isWaiting) {
      end(plot);
      return undefined;
    }
    let isStale = false;
    const onCursor = setCursor;
    const drawing = { theme, zone, lines, startMs, endMs, stepMs, height, hasBand, onZoom, onCursor, crosshair };
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
  }, [isWaiting, isAway, isLine, lines, startMs, endMs, stepMs, height, hasBand, onZoom, theme, zone, crosshair]);
  useEffect(() => () => end(plot), []);
  const unfinished = props.tellsUnfinished ? unfinishedText(lines, { startMs, endMs, stepMs }, Date.now()) : undefined;
  return (
    <div className="chart">
      <Legend title={title} lines={lines} cursor={cursor}>
        {unfinished === undefined ? null : (
          <li>
            <span className="swatch swatch-unfinished" aria-hidden="true" /> <span>{unfinished}</span>
          </li>
        )}
      </Legend>
      <div className="chart-plot">
        <div
          ref={holder}
          role="img"
          aria-label={`${title}: ${summaryOf(lines)}`}
          style={{ minHeight: isLine ? emptyHeight : height }}
        />
        <Moment lines={lines} stepMs={stepMs} cursor={cursor} />
        {isWaiting && isAway ? <p className="chart-empty chart-unread">Not loaded</p> : null}
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

interface LegendProps {
  readonly title: string;
  readonly lines: readonly ChartLine[];
  readonly cursor: Cursor;
  readonly children: ReactNode;
}

/** What is what, and its value under the pointer; where there is none, that of the whole range. */
function Legend({ title, lines, cursor, children }: LegendProps): ReactNode {
  return (
    <ul className="chart-legend">
      {lines.map((line, i) =>
        line.isBefore ? null : (
          <li key={line.label}>
            {/* One line of the chart's own name needs no key. */}
            {lines.length === 1 && line.label === title ? null : (
              <span className={`swatch ${colourName(line, i)}`} aria-hidden="true" />
            )}
            <span>{line.label}</span>
            <Value line={line} value={cursor.seconds === undefined ? undefined : (cursor.values[i] ?? null)} />
          </li>
        ),
      )}
      {children}
    </ul>
  );
}

/** It has room also while nothing is pointed at: nothing on the page moves. */
function Value({ line, value }: { line: ChartLine; value: number | null | undefined }): ReactNode {
  const { points, format, total } = line;
  const room = useMemo(() => widestOf(points, total, format), [points, total, format]);
  return (
    <span className="chart-value">
      <span className="chart-value-room" aria-hidden="true">
        {room}
      </span>
      <strong>{value === undefined ? line.total : value === null ? '–' : format(value)}</strong>
    </span>
  );
}

/** So many of a line's values tell how wide their texts are. */
const SAMPLES = 60;
/** For a few points that come later. */
const ROOM_MIN = '0000';

function widestOf(points: ChartLine['points'], total: ChartLine['total'], format: ChartLine['format']): string {
  const every = Math.max(1, Math.floor(points.length / SAMPLES));
  const some = points.filter((_, i) => i % every === 0).map(({ value }) => value);
  const max = extremes(points.map(({ value }) => value)).max;
  const texts = (points.length === 0 ? some : [...some, max]).map(format);
  return [...texts, total ?? ''].reduce((widest, text) => (text.length > widest.length ? text : widest), ROOM_MIN);
}

/** Half of the longest of its texts: of the time, and with what was before. */
const MOMENT_HALF_PX = [70, 125] as const;

/** When that is, and what was there in as much time before: below the labels of the times, at the pointer. */
function Moment({ lines, stepMs, cursor }: { lines: readonly ChartLine[]; stepMs: number; cursor: Cursor }): ReactNode {
  const { seconds, leftPx, values } = cursor;
  if (seconds === undefined) return null;
  const bucketMs = lines.some(({ isCounted }) => isCounted) ? stepMs : undefined;
  const zone = timeZone.current();
  const place = lines.findIndex(({ isBefore }) => isBefore);
  const before = values[place] ?? undefined;
  const halfPx = MOMENT_HALF_PX[before === undefined ? 0 : 1];
  const left = `clamp(${halfPx}px, ${Math.round(leftPx)}px, calc(100% - ${halfPx}px))`;
  return (
    <div className="chart-moment" style={{ left }}>
      {bucketText(seconds * 1000, bucketMs, zone)}
      {before === undefined ? null : ` · before: ${lines[place]?.format(before)}`}
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
