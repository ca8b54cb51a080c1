/** What a scenario gives, and how it is printed. */
import type { Measured } from '../load/run-load.ts';

export interface Row {
  readonly name: string;
  /** Units (beats) a second. */
  readonly perSecond: number;
  /** Of one message, which may hold many units. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Server CPU per unit. */
  readonly cpuMicroseconds: number;
  /** Least and most of the rounds: what the median is worth. */
  readonly cpuSpread?: readonly [number, number];
  /** What one of them is: a beat, a sample. */
  readonly unit: string;
  /** CPU beside the peer's in the same run. */
  readonly ratio?: number;
  readonly ratioTo?: string;
  /** What the columns have no place for, by name with its unit; printed below the row. */
  readonly facts?: Readonly<Record<string, number | string>>;
}

/** A peer that could not be measured here, and why. */
export interface AbsentRow {
  readonly name: string;
  readonly absent: string;
  /** True where it should have been measured: the bench ends with 1. */
  readonly isFailure?: boolean;
}

export type AnyRow = Row | AbsentRow;

export interface RunOptions {
  readonly smoke: boolean;
  /** Asked for by its name. */
  readonly isNamed?: boolean;
  /** Says on standard error what goes on; long scenarios are silent otherwise. */
  readonly progress: (line: string) => void;
  /** Of a contest, after its warm-up; five where absent. */
  readonly rounds?: number;
}

export interface Scenario {
  readonly name: string;
  /** Rounds that a figure is the median of, or 1 for one long run; absent where the rows say it themselves. */
  readonly rounds?: 1 | 5;
  readonly run: (options: RunOptions) => Promise<readonly AnyRow[]>;
}

/** Median of each figure by itself over the rounds. */
export function rowOf(name: string, unit: string, perMessage: number, runs: readonly Measured[]): Row {
  const cpu = runs.map(({ cpuMicroseconds }) => cpuMicroseconds / perMessage);
  const refused = runs.reduce((sum, run) => sum + run.refused, 0);
  const taken = runs.reduce((sum, run) => sum + run.answered, 0);
  return {
    name,
    unit,
    perSecond: median(runs.map(({ perSecond }) => perSecond * perMessage)),
    p50Ms: median(runs.map(({ p50Ms }) => p50Ms)),
    p99Ms: median(runs.map(({ p99Ms }) => p99Ms)),
    cpuMicroseconds: median(cpu),
    cpuSpread: [Math.min(...cpu), Math.max(...cpu)],
    ...(refused > 0 ? { facts: { 'answered 503, %': (100 * refused) / (refused + taken) } } : {}),
  };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** `heading` is a scenario's name, with what its figures stand for. */
export function tableOf(heading: string, rows: readonly AnyRow[]): string {
  const width = Math.max(18, ...rows.map(({ name }) => name.length));
  return [heading, ...rows.flatMap((row) => linesOf(row, width)), ''].join('\n');
}

function linesOf(row: AnyRow, width: number): string[] {
  if ('absent' in row) return [`  ${row.name.padEnd(width)} ${row.isFailure ? 'not measured: ' : ''}${row.absent}`];
  const { name, perSecond, p50Ms, p99Ms, cpuMicroseconds, cpuSpread, unit, ratio, ratioTo } = row;
  const spread = cpuSpread ? ` (${cpuSpread.map((n) => n.toFixed(2)).join('–')})` : '';
  const beside = ratio === undefined ? '' : `   ${ratio.toFixed(2).padStart(5)} × ${ratioTo}`;
  return [
    `  ${name.padEnd(width)} ${perSecond.toFixed(0).padStart(9)}/s   p50 ${p50Ms.toFixed(2).padStart(7)} ms   p99 ${p99Ms.toFixed(2).padStart(7)} ms   ` +
      `${cpuMicroseconds.toFixed(2).padStart(7)} µs CPU a ${unit}${spread}${beside}`,
    ...Object.entries(row.facts ?? {}).map(([fact, value]) => `  ${' '.repeat(width)}   ${fact}: ${shown(value)}`),
  ];
}

function shown(value: number | string): string {
  if (typeof value === 'string') return value;
  return Number.isInteger(value) ? value.toLocaleString('en') : value.toFixed(2);
}
