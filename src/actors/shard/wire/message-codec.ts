/** Message batches as bytes: for the journal, and for the way from one shard to another. */
import { pack } from 'msgpackr';
import type { PackedMessages } from '../../../store/commit/group-commit.ts';
import { mustUnpackArray, unreadable } from '../../../store/kv/unpack.ts';
import type { AnyMessage } from '../../runtime/address.ts';
import type { MessageBatch } from '../../runtime/behaviour.ts';
import { shardOf } from './placement.ts';

/** One packed group a shard; each in a buffer of its own, ready to be transferred. */
export function packMessages(messageBatches: readonly MessageBatch[], shardCount: number): PackedMessages[] {
  const groups = new Map<number, MessageBatch[]>();
  for (const messageBatch of messageBatches) {
    const shard = shardOf(messageBatch.to, shardCount);
    const group = groups.get(shard);
    if (group) group.push(messageBatch);
    else groups.set(shard, [messageBatch]);
  }
  return [...groups].map(([client, group]) => ({
    client,
    // Copied: msgpackr packs into a shared pool, and a transfer would take all of it.
    bytes: new Uint8Array(pack(group.map(({ to, messages }) => [to.kind, to.id, messages]))),
  }));
}

/** Throws a coded error on bytes that `packMessages` did not make. */
export function unpackMessages(bytes: Uint8Array): MessageBatch[] {
  return mustUnpackArray(bytes, WHAT).map((entry): MessageBatch => {
    const [kind, id, messages] = Array.isArray(entry) ? (entry as unknown[]) : [];
    if (typeof kind !== 'string' || typeof id !== 'string' || !Array.isArray(messages)) throw unreadable(WHAT);
    return { to: { kind, id }, messages: messages as AnyMessage[] };
  });
}

const WHAT = 'a group of message batches';
