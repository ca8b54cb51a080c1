/**
 * On which nodes jobs of a queue ran: what a caller who is bound to queues may see of the fleet. A row is written with the
 * event that places a job on a node, and goes with the node.
 *
 *   queueNode   nodeOid · queue → nothing
 */
import type { NodeFacts } from '../../protocol/node.ts';
import { afterPrefix, keyOf, textKey } from '../kv/keys.ts';
import type { Reader } from '../kv/store.ts';
import { keyText } from './job-index.ts';
import { jobHeadOf, jobJsonOf } from './job-record.ts';
import { decodeNodeRecord, oidsOf } from './node-record.ts';

export function queueNodeKey(nodeOid: string, queue: string): Uint8Array {
  return keyOf({ text: keyText(nodeOid) }, { text: queue });
}

/** Keys of the rows of a node, by the names that jobs know it by. */
export function queueNodeKeys(reader: Reader, oids: readonly string[]): Uint8Array[] {
  return oids.flatMap((oid) => {
    const start = keyOf({ text: keyText(oid) });
    const end = afterPrefix(start);
    return [...reader.range('queueNode', { start, ...(end ? { end } : {}) })].map(({ key }) => key);
  });
}

/** Whether a job of one of the queues ran on the node. */
export function ranJobOf(reader: Reader, facts: NodeFacts, queues: readonly string[]): boolean {
  return oidsOf(facts).some((oid) =>
    queues.some((queue) => reader.get('queueNode', queueNodeKey(oid, queue)) !== undefined),
  );
}

/** The same by the node's id; false where the node is not known. */
export function nodeRanJobOf(reader: Reader, nodeId: string, queues: readonly string[]): boolean {
  const bytes = nodeId === '' ? undefined : reader.get('node', textKey(nodeId));
  return bytes !== undefined && ranJobOf(reader, JSON.parse(decodeNodeRecord(bytes).factsJson) as NodeFacts, queues);
}

/**
 * Whether a node log, by its path on the worker, is one that a job of the queues wrote: below `/jobs/<job id>/`, and below
 * that of no job of another queue.
 */
export function isLogOf(reader: Reader, path: string, queues: readonly string[]): boolean {
  const segments = `/${path}`.split('/');
  let isSeen = false;
  for (let i = 1; i < segments.length - 1; i++) {
    const id = segments[i] as string;
    const record = segments[i - 1] === 'jobs' && id !== '' ? reader.get('job', textKey(id.slice(0, 128))) : undefined;
    if (!record) continue;
    if (!queues.includes(jobHeadOf(jobJsonOf(record)).queueName)) return false;
    isSeen = true;
  }
  return isSeen;
}
