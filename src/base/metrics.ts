/**
 * The server's figures about itself, for `/metrics`. Each thread keeps its own registry; main merges the snapshots and
 * prints them as Prometheus text (format 0.0.4). Updating a metric is one addition: no labels are built on a hot path,
 * because a labelled metric is looked up once and kept.
 */
export type MetricKind = 'counter' | 'gauge' | 'histogram' | 'summary';

export interface MetricSnapshot {
  readonly name: string;
  readonly kind: MetricKind;
  readonly help: string;
  readonly labels: string;
  readonly value: number;
  /** Histogram only: counts per bucket, not cumulative, the last one above all bounds. */
  readonly buckets?: readonly number[];
  readonly bounds?: readonly number[];
  readonly count?: number;
  /** Summary only: what so much of the observations is not above. */
  readonly quantiles?: readonly (readonly [quantile: number, value: number])[];
}

export class Counter {
  value = 0;
  add(amount = 1): void {
    this.value += amount;
  }
}

export class Gauge {
  value = 0;
  set(value: number): void {
    this.value = value;
  }
}

export class Histogram {
  readonly bounds: readonly number[];
  readonly buckets: number[];
  sum = 0;
  count = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.buckets = new Array(bounds.length + 1).fill(0);
  }

  observe(value: number): void {
    let i = 0;
    while (i < this.bounds.length && value > (this.bounds[i] as number)) i++;
    this.buckets[i] = (this.buckets[i] as number) + 1;
    this.sum += value;
    this.count++;
  }
}

/** Of what something else has measured: quantiles, sum and number of the observations. */
export class Summary {
  quantiles: readonly (readonly [quantile: number, value: number])[] = [];
  sum = 0;
  count = 0;
}

/** Seconds, from 100 µs to 10 s: what a request or an event-loop delay can take. */
export const LATENCY_BOUNDS_SECONDS = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
] as const;

type Labels = Readonly<Record<string, string>>;
type Instrument = Counter | Gauge | Histogram | Summary;

interface Registered {
  readonly name: string;
  readonly kind: MetricKind;
  readonly help: string;
  readonly labels: string;
  readonly instrument: Instrument;
}

/** Series a registry may hold; one more is a bug of ours (an unbounded label). */
const SERIES_MAX = 2_000;

export class MetricRegistry {
  readonly #series = new Map<string, Registered>();
  readonly #collectors: (() => void)[] = [];

  counter(name: string, help: string, labels: Labels = {}): Counter {
    return this.#register(name, 'counter', help, labels, () => new Counter()) as Counter;
  }

  gauge(name: string, help: string, labels: Labels = {}): Gauge {
    return this.#register(name, 'gauge', help, labels, () => new Gauge()) as Gauge;
  }

  histogram(name: string, help: string, bounds: readonly number[], labels: Labels = {}): Histogram {
    return this.#register(name, 'histogram', help, labels, () => new Histogram(bounds)) as Histogram;
  }

  summary(name: string, help: string, labels: Labels = {}): Summary {
    return this.#register(name, 'summary', help, labels, () => new Summary()) as Summary;
  }

  /** `collect` runs before each snapshot, to set gauges that are cheaper to read than to keep. */
  onCollect(collect: () => void): void {
    this.#collectors.push(collect);
  }

  snapshot(): MetricSnapshot[] {
    for (const collect of this.#collectors) collect();
    return [...this.#series.values()].map(({ instrument, ...rest }) => {
      if (instrument instanceof Histogram) {
        const { sum, count, buckets, bounds } = instrument;
        return { ...rest, value: sum, count, buckets: [...buckets], bounds };
      }
      if (instrument instanceof Summary) {
        const { sum, count, quantiles } = instrument;
        return { ...rest, value: sum, count, quantiles };
      }
      return { ...rest, value: instrument.value };
    });
  }

  #register(name: string, kind: MetricKind, help: string, labels: Labels, make: () => Instrument): Instrument {
    const rendered = renderLabels(labels);
    const key = `${name}{${rendered}}`;
    const known = this.#series.get(key);
    if (known) return known.instrument;
    if (this.#series.size >= SERIES_MAX)
      throw new RangeError(`cannot register ${name}: ${SERIES_MAX} series are the bound`);
    const instrument = make();
    this.#series.set(key, { name, kind, help, labels: rendered, instrument });
    return instrument;
  }
}

function renderLabels(labels: Labels): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${value.replace(/[\\"\n]/g, (c) => (c === '\n' ? '\\n' : `\\${c}`))}"`)
    .join(',');
}

/** One series, of a value that is known; for what no registry keeps. */
export function snapshotOf(
  name: string,
  kind: 'counter' | 'gauge',
  help: string,
  labels: Labels,
  value: number,
): MetricSnapshot {
  return { name, kind, help, labels: renderLabels(labels), value };
}

/** Adds up the threads' snapshots: counters, gauges and histograms of the same name and labels are summed. */
export function mergeSnapshots(parts: readonly (readonly MetricSnapshot[])[]): MetricSnapshot[] {
  const merged = new Map<string, MetricSnapshot>();
  for (const part of parts) {
    for (const item of part) {
      const key = `${item.name}{${item.labels}}`;
      const known = merged.get(key);
      merged.set(key, known ? addSnapshots(known, item) : item);
    }
  }
  return [...merged.values()];
}

function addSnapshots(a: MetricSnapshot, b: MetricSnapshot): MetricSnapshot {
  return {
    ...a,
    value: a.value + b.value,
    ...(a.buckets && b.buckets ? { buckets: a.buckets.map((n, i) => n + (b.buckets?.[i] ?? 0)) } : {}),
    ...(a.count !== undefined ? { count: a.count + (b.count ?? 0) } : {}),
  };
}

export function renderPrometheus(snapshots: readonly MetricSnapshot[]): string {
  const byName = new Map<string, MetricSnapshot[]>();
  for (const item of snapshots) {
    const group = byName.get(item.name);
    if (group) group.push(item);
    else byName.set(item.name, [item]);
  }
  const lines: string[] = [];
  for (const name of [...byName.keys()].sort()) {
    const group = byName.get(name) as MetricSnapshot[];
    const first = group[0] as MetricSnapshot;
    lines.push(`# HELP ${name} ${first.help}`, `# TYPE ${name} ${first.kind}`);
    for (const item of group) lines.push(...renderSeries(item));
  }
  return `${lines.join('\n')}\n`;
}

function renderSeries(item: MetricSnapshot): string[] {
  const braces = (extra: string): string => {
    const inner = [item.labels, extra].filter((part) => part !== '').join(',');
    return inner === '' ? '' : `{${inner}}`;
  };
  if (item.kind === 'summary') {
    const quantiles = (item.quantiles ?? []).map(([q, value]) => `${item.name}${braces(`quantile="${q}"`)} ${value}`);
    return [...quantiles, ...endOf(item, braces(''))];
  }
  if (item.kind !== 'histogram') return [`${item.name}${braces('')} ${item.value}`];
  const lines: string[] = [];
  let cumulative = 0;
  (item.buckets ?? []).forEach((count, i) => {
    cumulative += count;
    const bound = item.bounds?.[i];
    lines.push(`${item.name}_bucket${braces(`le="${bound ?? '+Inf'}"`)} ${cumulative}`);
  });
  return [...lines, ...endOf(item, braces(''))];
}

function endOf({ name, value, count }: MetricSnapshot, labels: string): string[] {
  return [`${name}_sum${labels} ${value}`, `${name}_count${labels} ${count ?? 0}`];
}
