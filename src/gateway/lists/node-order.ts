/** Orders of the list of nodes, and places in them. */
import { compareIds } from '../../actors/node/directory.ts';
import type { WorkerNode } from '../../protocol/node.ts';

export const NODE_SORTS = [
  'id',
  'hostName',
  'cloud',
  'arch',
  'cores',
  'memoryInMB',
  'zone',
  'region',
  'instanceType',
  'instanceId',
  'payType',
  'lastHeartbeat',
  'state',
] as const;
type NodeSort = (typeof NODE_SORTS)[number];

export interface NodeOrder {
  readonly by: NodeSort;
  readonly descending: boolean;
}

export interface NodePosition {
  /** What is sorted by; the id itself where that is. */
  readonly value: string | number;
  readonly id: string;
}

/** Every node answered has its id, so the order is total. */
export function comparePositions(a: NodePosition, b: NodePosition): number {
  if (a.value !== b.value) return a.value < b.value ? -1 : 1;
  return compareIds(a.id, b.id);
}

export function placeOfNode(json: string, id: string, { by }: NodeOrder): NodePosition {
  if (by === 'id') return { value: id, id };
  const node = JSON.parse(json) as WorkerNode;
  switch (by) {
    case 'zone':
    case 'region':
    case 'instanceType':
    case 'instanceId':
    case 'payType':
      return { value: node.instance[by], id };
    default:
      return { value: node[by], id };
  }
}

export function nodePositionBytes({ value, id }: NodePosition): Uint8Array {
  return Buffer.from(JSON.stringify([value, id]));
}

/** Of bytes that a cursor held, which were ours. */
export function nodePositionOf(bytes: Uint8Array): NodePosition {
  const [value, id] = JSON.parse(Buffer.from(bytes).toString('utf8')) as [string | number, string];
  return { value, id };
}
