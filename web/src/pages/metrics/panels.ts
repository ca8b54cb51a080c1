/** Which of the chosen series share a panel: what cannot be read on one axis stands below each other. Pure. */
import { BUILT_IN_DEFINITIONS, type Definition } from '../../../../src/protocol/metric.ts';
import { SYSTEM_TOTAL } from '../../../../src/protocol/names/metric-names.ts';
import { isCounted } from '../../charts/buckets.ts';
import { type ChartLine, extremes } from '../../charts/chart-line.ts';
import { objectIdText } from './object-text.ts';

export interface SeriesLine extends ChartLine {
  /** `<object>/<definition>` */
  readonly name: string;
  /** Whether its points are still asked for. */
  readonly isPending?: boolean;
}

const BUILT_IN: ReadonlyMap<string, Definition> = new Map(BUILT_IN_DEFINITIONS.map((one) => [one.id, one]));

/**
 * A line of which nothing is known yet but its name: what Cairn measures itself has the panel from the first moment on that it
 * will be drawn in, and nothing moves when its points come.
 */
export function pendingLine(name: string, agg: string | undefined): SeriesLine {
  const slash = name.lastIndexOf('/');
  const definition = BUILT_IN.get(name.slice(slash + 1));
  return {
    name,
    label: definition ? `${definition.name} · ${objectIdText(name.slice(0, slash))}` : name,
    unit: definition?.unit ?? '',
    points: [],
    isCounted: isCounted(definition?.aggregation ?? '', agg),
    isPending: true,
    format: String,
  };
}

/** One line so many times another leaves that on the axis, where nothing of it can be read. */
const RATIO_MAX = 50;

/** Each by itself. Series of one measure have one scale: the higher bar is the greater value. */
export function panelsApart(lines: readonly SeriesLine[]): (readonly SeriesLine[])[] {
  const measureOf = ({ name }: SeriesLine): string => name.slice(name.lastIndexOf('/') + 1);
  return lines.map((line) => {
    const alike = lines.filter((other) => measureOf(other) === measureOf(line));
    return [{ ...line, reach: Math.max(...alike.map(topOf)) }];
  });
}

/** What is counted adds up to one stack of bars. */
export function panelsOf(lines: readonly SeriesLine[]): (readonly SeriesLine[])[] {
  const groups = new Map<string, SeriesLine[]>();
  for (const line of lines) {
    const key = line.isCounted ? `sum ${sumOf(line.name)}` : `unit ${line.unit}`;
    groups.set(key, [...(groups.get(key) ?? []), line]);
  }
  return [...groups.values()].flatMap((group) => (group[0]?.isCounted ? [group] : byMagnitude(group)));
}

/** What a counted series is a part of: successes and failures are attempts, and what queues have counted adds up. */
function sumOf(name: string): string {
  const slash = name.lastIndexOf('/');
  const whole = name.slice(0, slash) === SYSTEM_TOTAL ? 'total' : 'parts';
  const definition = name
    .slice(slash + 1)
    .replace(/(Success|Failure)$/, '')
    .replace(/(onDemand|spot)Savings$/, 'savings');
  return `${whole} ${definition}`;
}

function byMagnitude(lines: readonly SeriesLine[]): SeriesLine[][] {
  const sorted = lines.toSorted((a, b) => topOf(b) - topOf(a));
  const parts: SeriesLine[][] = [];
  for (const line of sorted) {
    const part = parts.at(-1);
    const [greatest] = part ?? [];
    // How great it is, is not known: it waits where it needs no panel of its own.
    const fits = greatest && (line.isPending || topOf(greatest) <= RATIO_MAX * topOf(line));
    if (part && fits) part.push(line);
    else parts.push([line]);
  }
  return parts;
}

function topOf({ points }: ChartLine): number {
  return points.length === 0 ? 0 : extremes(points.map(({ value }) => Math.abs(value))).max;
}
