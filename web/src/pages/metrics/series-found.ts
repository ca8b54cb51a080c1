/** The series that words find, grouped by what they are of; those that only their description fits come last. Pure. */
import type { MetricEntry } from '../../../../src/protocol/metric.ts';
import { SYSTEM_TOTAL } from '../../../../src/protocol/names/metric-names.ts';
import { measureText, objectText } from './object-text.ts';

export interface SeriesGroup {
  readonly value: string;
  /** `<object>/<definition>` of each. */
  readonly items: readonly string[];
}

const GROUPS = ['All queues', 'Queues', 'Nodes', 'Others', 'Found in their description'] as const;
type GroupName = (typeof GROUPS)[number];

export function seriesGroups(entries: readonly MetricEntry[], words: string): readonly SeriesGroup[] {
  const typed = words.toLowerCase().split(/\s+/).filter(Boolean);
  const found = new Map<GroupName, string[]>();
  for (const entry of entries) {
    const name = groupOf(entry, typed);
    found.set(name, [...(found.get(name) ?? []), seriesOf(entry)]);
  }
  return GROUPS.flatMap((value) => {
    const items = found.get(value);
    return items === undefined ? [] : [{ value, items }];
  });
}

export function seriesOf({ object, definition }: MetricEntry): string {
  return `${object.id}/${definition.id}`;
}

function groupOf(entry: MetricEntry, typed: readonly string[]): GroupName {
  const named = `${measureText(entry)} ${objectText(entry.object)} ${seriesOf(entry)}`.toLowerCase();
  if (!typed.every((word) => named.includes(word))) return 'Found in their description';
  const { id, type } = entry.object;
  if (id === SYSTEM_TOTAL) return 'All queues';
  return type === 'queue' ? 'Queues' : type === 'node' ? 'Nodes' : 'Others';
}
