/** The nodes that were running when the store was written last: after a start somebody must look after them. */
import type { Logger } from '../../../base/log.ts';
import type { Reader } from '../../../store/kv/store.ts';
import { decodeNodeRecord } from '../../../store/records/node-record.ts';

/** Ids of running nodes. A record that cannot be read is logged: it proves no node alive, and must not prevent a start. */
export function runningNodes(reader: Reader, isMine: (id: string) => boolean, log: Pick<Logger, 'error'>): string[] {
  const ids: string[] = [];
  for (const { key, value } of reader.range('node')) {
    const id = Buffer.from(key).toString('utf8');
    if (!isMine(id)) continue;
    try {
      if (decodeNodeRecord(value).state === 'alive') ids.push(id);
    } catch (error) {
      log.error({ kind: 'environment', error, node: id }, 'skipped a node record that cannot be read');
    }
  }
  return ids;
}
