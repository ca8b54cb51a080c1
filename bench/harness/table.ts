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
  readonly ratio: number;
  readonly ratioTo: string;
}

export interface Scenario {
  readonly name: string;
  readonly run: (options: { readonly smoke: boolean }) => Promise<Row[]>;
}

export function tableOf(scenario: string, rows: readonly Row[]): string {
  const lines = rows.map(
    ({ name, perSecond, p50Ms, p99Ms, cpuMicroseconds, unit, ratio, ratioTo }) =>
      `  ${name.padEnd(18)} ${perSecond.toFixed(0).padStart(9)}/s   p50 ${p50Ms.toFixed(2).padStart(7)} ms   p99 ${p99Ms.toFixed(2).padStart(7)} ms   ` +
      `${cpuMicroseconds.toFixed(2).padStart(7)} µs CPU a ${unit}   ${ratio.toFixed(2).padStart(5)} × ${ratioTo}`,
  );
  return [scenario, ...lines, ''].join('\n');
}
