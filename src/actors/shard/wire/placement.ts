/** Which thread an actor lives on: shards by hash of the id; aggregators, of which there are few, in turn. */
import { hashOf } from '../../../base/hash.ts';
import type { AnyAddress } from '../../runtime/address.ts';

/** The node directory of a shard; its id is the shard's number. */
export const DIRECTORY = 'directory';

/** Groups in the journal name the number of shards and rely on this: one that answers otherwise must mark them otherwise. */
export function shardOf({ kind, id }: AnyAddress, shardCount: number): number {
  if (shardCount === 1) return 0;
  if (kind === DIRECTORY) return Number(id);
  if (kind === 'aggregator') return Number(id) % shardCount;
  return nodeShardOf(id, shardCount);
}

/** As `shardOf` of the node's address, for callers that count nanoseconds. */
export function nodeShardOf(id: string, shardCount: number): number {
  return shardCount === 1 ? 0 : hashOf(id) % shardCount;
}
