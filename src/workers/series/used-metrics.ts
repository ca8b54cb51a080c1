/** Which metrics still have a series, a stretch of the table at a time: there may be a million rows, of a few metrics. */
import { afterKey, KeyReader } from '../../store/kv/keys.ts';
import type { Reader } from '../../store/kv/store.ts';
import { readExpiryKey } from '../../store/series/series-index.ts';
import type { UsedMetrics, UsedMetricsTask } from '../task/task.ts';

export function usedMetrics(reader: Reader, { metrics, table, afterKey: start, limit }: UsedMetricsTask): UsedMetrics {
  const sought = new Set(metrics);
  const used: string[] = [];
  let rows = 0;
  let last: Uint8Array | null = null;
  for (const { key } of reader.range(table, { ...(start ? { start } : {}), limit })) {
    rows++;
    last = key;
    const metric = table === 'leaving' ? readExpiryKey(key).metric : metricOf(key);
    if (!sought.delete(metric)) continue;
    used.push(metric);
    if (sought.size === 0) return { used, nextKey: null };
  }
  return { used, nextKey: last && rows === limit ? afterKey(last) : null };
}

function metricOf(key: Uint8Array): string {
  const parts = new KeyReader(key);
  parts.text();
  return parts.text();
}
