/** The figures of the chosen series: what a chart does not say exactly. */
import type { ReactNode } from 'react';
import { spanText } from '../../../../src/protocol/explain/span.ts';
import { ApiError } from '../../api/request.ts';
import { type ChartLine, drawnValues, extremes, finishedValues, type Stretch, sumOf } from '../../charts/chart-line.ts';
import { countText, unbroken } from '../../parts/format.ts';
import { StackTable } from '../../parts/stack-table.tsx';
import { messageOf } from '../../parts/states.tsx';
import { changeText, tellsBefore } from '../overview/change-text.ts';
import type { SeriesLine } from './panels.ts';

interface SeriesTableProps {
  readonly lines: readonly SeriesLine[];
  /** What the chart shows of it. */
  readonly stretchOf: (line: SeriesLine) => Stretch;
  /** What it was in as much time before, where that is drawn. */
  readonly beforeOf: (name: string) => ChartLine | undefined;
  readonly errorOf: (name: string) => Error | undefined;
  /** Class of its colour in the chart. */
  readonly colourOf: (line: SeriesLine) => string;
  readonly actionsOf: (name: string) => ReactNode;
}

const FIGURES = ['Last', 'Min', 'Average', 'Max', 'Sum'] as const;

export function SeriesTable({ lines, stretchOf, beforeOf, errorOf, colourOf, actionsOf }: SeriesTableProps): ReactNode {
  const nowMs = Date.now();
  return (
    <StackTable label="Figures of the series">
      <thead>
        <tr>
          <th scope="col">Series</th>
          {FIGURES.map((label) => (
            <th key={label} scope="col">
              {label}
            </th>
          ))}
          <th scope="col">
            <span className="hidden">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {lines.map((line) => {
          const error = errorOf(line.name);
          const stretch = stretchOf(line);
          const values = drawnValues(line, stretch, nowMs);
          const figures = figuresOf(line, values, finishedValues(line, stretch, nowMs));
          const before = beforeOf(line.name);
          return (
            <tr key={line.name}>
              <th scope="row">
                <span className={`swatch ${colourOf(line)}`} aria-hidden="true" /> {line.label}
                <span className={isFailure(error) ? 'series-about bad' : 'series-about muted'}>
                  {error ? errorText(error) : aboutText(line, values.length, stretch)}
                </span>
                {before ? (
                  <span className="series-about muted">
                    {beforeText(values, drawnValues(before, stretch, nowMs), line)}
                  </span>
                ) : null}
              </th>
              {FIGURES.map((label, i) => (
                <td key={label} data-label={label}>
                  {figures[i]}
                </td>
              ))}
              <td>{actionsOf(line.name)}</td>
            </tr>
          );
        })}
      </tbody>
    </StackTable>
  );
}

/**
 * In the order of their names. Of what is measured there is no sum. What was counted so far in a step that is not over is part
 * of the sum only: as the last figure, or the least, it would look like a fall.
 */
function figuresOf(
  { format, isCounted }: SeriesLine,
  values: readonly number[],
  finished: readonly number[],
): string[] {
  const told = finished.length === 0 ? values : finished;
  const last = told.at(-1);
  if (last === undefined) return FIGURES.map(() => '–');
  const { min, max } = extremes(told);
  return [last, min, sumOf(told) / told.length, max].map(format).concat(isCounted ? format(sumOf(values)) : '–');
}

/** `before: 55 in sum, +80 %`; what is measured has no sum. */
function beforeText(values: readonly number[], before: readonly number[], { isCounted, format }: SeriesLine): string {
  if (before.length === 0) return 'before: nothing';
  const figureOf = (all: readonly number[]): number => (isCounted ? sumOf(all) : sumOf(all) / Math.max(1, all.length));
  const figures = [figureOf(values), figureOf(before)] as const;
  // Of a figure that is many times as great what was before is all that is told of the change.
  const now = tellsBefore(...figures) ? '' : `, now ${changeText(...figures, format)}`;
  return `before: ${format(figures[1])} ${isCounted ? 'in sum' : 'on average'}${now}`;
}

/** `144 points in steps of 10 m`, or where they fill the whole range `in steps of 10 m` */
function aboutText({ isCounted }: SeriesLine, count: number, { stepMs }: Stretch): string {
  const steps = `in steps of ${unbroken(spanText(stepMs / 1_000))}`;
  if (isCounted && count > 0) return steps;
  return count === 0 ? '0 points' : `${countText(count)} ${count === 1 ? 'point' : 'points'} ${steps}`;
}

/** A series that nobody has sent is no failure. */
function isFailure(error: Error | undefined): boolean {
  return error !== undefined && !(error instanceof ApiError && error.status === 404);
}

function errorText(error: Error): string {
  return isFailure(error) ? messageOf(error) : 'No samples of this series. Remove it, or choose another.';
}
