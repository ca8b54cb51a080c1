/** Which objects of metrics a caller who is bound to queues sees: those queues, and the nodes on which their jobs ran. */
import { nodeObjectId, queueObjectId } from '../../protocol/metric.ts';
import type { Reader } from '../../store/kv/store.ts';
import { nodeRanJobOf } from '../../store/records/queue-node.ts';

const NODE_PREFIX = nodeObjectId('');

/** Queues: null for all, and every object. */
export function seesObject(reader: Reader, objectId: string, queues: readonly string[] | null): boolean {
  if (!queues) return true;
  if (queues.some((queue) => queueObjectId(queue) === objectId)) return true;
  return objectId.startsWith(NODE_PREFIX) && nodeRanJobOf(reader, objectId.slice(NODE_PREFIX.length), queues);
}
