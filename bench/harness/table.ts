/** What a scenario gives, and how it is printed. */
export interface Row {
  readonly name: string;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpuMicroseconds: number;
  /** What one of them is: a beat, a sample. */
  readonly unit: string;
  /** CPU beside the peer's in the same run. */
  readonly ratio?: number;
  readonly ratioTo?: string;
  /** What the columns have no place for, by name with its unit; printed below the row. */
  readonly facts?: Readonly<Record<string, number | string>>;
}

export interface Scenario {
  readonly name: string;
  readonly run: (options: { readonly smoke: boolean }) => Promise<Row[]>;
}

export function tableOf(scenario: string, rows: readonly Row[]): string {
  const width = Math.max(18, ...rows.map(({ name }) => name.length));
  return [scenario, ...rows.flatMap((row) => linesOf(row, width)), ''].join('\n');
}

function linesOf(row: Row, width: number): string[] {
  const { name, perSecond, p50Ms, p99Ms, cpuMicroseconds, unit, ratio, ratioTo } = row;
  const beside = ratio === undefined ? '' : `   ${ratio.toFixed(2).padStart(5)} × ${ratioTo}`;
  return [
    `  ${name.padEnd(width)} ${perSecond.toFixed(0).padStart(9)}/s   p50 ${p50Ms.toFixed(2).padStart(7)} ms   p99 ${p99Ms.toFixed(2).padStart(7)} ms   ` +
      `${cpuMicroseconds.toFixed(2).padStart(7)} µs CPU a ${unit}${beside}`,
    ...Object.entries(row.facts ?? {}).map(([fact, value]) => `  ${' '.repeat(width)}   ${fact}: ${shown(value)}`),
  ];
}

function shown(value: number | string): string {
  if (typeof value === 'string') return value;
  return Number.isInteger(value) ? value.toLocaleString('en') : value.toFixed(2);
}
