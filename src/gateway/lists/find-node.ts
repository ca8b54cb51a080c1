/** The node that a caller names, by whichever of its names. */

import type { DirectoryMessage, NodeItem } from '../../actors/node/directory.ts';
import { nodeAddress } from '../../actors/node/messages.ts';
import { addressOf } from '../../actors/runtime/address.ts';
import type { ShardHost } from '../../actors/shard/host/shard-host.ts';
import { DIRECTORY, shardOf } from '../../actors/shard/wire/placement.ts';
import { CodedError } from '../../base/errors.ts';
import { idSchema } from '../../protocol/id.ts';
import type { NodeFacts } from '../../protocol/node.ts';
import { textKey } from '../../store/kv/keys.ts';
import { keyText } from '../../store/records/job-index.ts';
import { decodeNodeRecord, oidsOf, readNodePrice } from '../../store/records/node-record.ts';
import { ranJobOf } from '../../store/records/queue-node.ts';

export async function findNode(host: ShardHost, id: string): Promise<NodeItem | null> {
  if (!idSchema.safeParse(id).success) return null;
  const shard = shardOf(nodeAddress(id), host.shardCount);
  return (await askDirectory(host, shard, { type: 'one', id })) as NodeItem | null;
}

/** Throws `notFound`, also where no job of the queues that the caller sees (null: all) ran on the node. */
export async function mustSeeNode(host: ShardHost, id: string, queues: readonly string[] | null): Promise<NodeItem> {
  const item = await findNode(host, id);
  if (queues) host.reader.refresh();
  if (!item || !seesNode(host, item, queues)) throw new CodedError('notFound');
  return item;
}

/** The reader is as fresh as the caller made it. */
export function seesNode({ reader }: ShardHost, { json }: NodeItem, queues: readonly string[] | null): boolean {
  return queues === null || ranJobOf(reader, JSON.parse(json) as NodeFacts, queues);
}

/** The directory of one shard's nodes answers at once; it is no actor of its own. */
export function askDirectory(host: ShardHost, shard: number, message: DirectoryMessage): Promise<unknown> {
  return host.ask(addressOf(DIRECTORY, String(shard)), message as never);
}

/** A job names its node by instance id or by id; both are asked for, whichever was given. */
export function idsOfNode({ reader }: ShardHost, node: string): string[] {
  const nodeId = readNodePrice(reader, node)?.nodeId ?? node;
  const record = reader.get('node', textKey(nodeId.slice(0, 256)));
  const ids = record ? oidsOf(JSON.parse(decodeNodeRecord(record).factsJson) as NodeFacts) : [];
  return [...new Set([node, nodeId, ...ids].map(keyText))];
}
