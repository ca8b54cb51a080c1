/** Lost and deregistered nodes by pay type, for `/metrics`; a stretch of the table at a time. */

import { payTypeIn } from '../../protocol/node.ts';
import { isDamaged } from '../../store/kv/checksum.ts';
import { afterKey, KeyReader, textKey } from '../../store/kv/keys.ts';
import type { Reader } from '../../store/kv/store.ts';
import { decodeNodeRecord, type NodeRecord } from '../../store/records/node-record.ts';
import type { EndedNodeFigures, EndedNodeFiguresTask } from '../task/figures-task.ts';

export function endedNodeFigures(reader: Reader, { afterKey: start, limit }: EndedNodeFiguresTask): EndedNodeFigures {
  const counts = new Map<NodeRecord['state'], Map<string, number>>();
  let last: Uint8Array | null = null;
  let rows = 0;
  for (const { key } of reader.range('nodeEnded', { ...(start ? { start } : {}), limit })) {
    rows++;
    last = key;
    const parts = new KeyReader(key);
    parts.ms();
    const bytes = reader.get('node', textKey(parts.text()));
    if (!bytes || isDamaged(bytes)) continue;
    const { state, factsJson } = decodeNodeRecord(bytes);
    const ofState = counts.get(state) ?? new Map<string, number>();
    counts.set(state, ofState);
    const payType = payTypeIn(factsJson);
    ofState.set(payType, (ofState.get(payType) ?? 0) + 1);
  }
  const nodes = [...counts].flatMap(([state, types]) =>
    [...types].map(([payType, count]) => [state, payType, count] as const),
  );
  return { nodes, nextKey: last && rows === limit ? afterKey(last) : null };
}
