/** Reads values out of Prometheus text: some of the server's figures stand only there. Pure. */

/** Values of a metric over all its labels; empty where the text does not have it. */
export function valuesOf(text: string, metric: string): number[] {
  const values: number[] = [];
  for (const line of text.split('\n')) {
    if (!line.startsWith(metric)) continue;
    const rest = line.slice(metric.length);
    // Another metric's name may begin with this one.
    if (rest[0] !== '{' && rest[0] !== ' ') continue;
    // A label's text may hold any character; the value stands behind the last space.
    const value = Number(rest.slice(rest.lastIndexOf(' ') + 1));
    if (!Number.isNaN(value)) values.push(value);
  }
  return values;
}

/** Sums of a metric's values by one of its labels. */
export function sumsBy(text: string, metric: string, label: string): Readonly<Record<string, number>> {
  const sums: Record<string, number> = {};
  const name = new RegExp(`[{,]${label}="([^"]*)"`);
  for (const line of text.split('\n')) {
    if (!line.startsWith(`${metric}{`)) continue;
    const key = name.exec(line)?.[1] ?? '';
    sums[key] = (sums[key] ?? 0) + Number(line.slice(line.lastIndexOf(' ') + 1));
  }
  return sums;
}
