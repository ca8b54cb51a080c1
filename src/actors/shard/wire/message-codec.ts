/**
 * Message batches as bytes: for the journal, and for the way from one shard to another.
 *
 *   a group: MessagePack [[kind, id, messages, shard count] …], all for actors of one shard
 *
 * Each entry ends in the number of shards by which the group was put together, so that a shard that reads the journal knows
 * from the first address and the last byte whether any of it is its own. A release that knows three fields reads those.
 */
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
    bytes: new Uint8Array(pack(group.map(({ to, messages }) => [to.kind, to.id, messages, shardCount]))),
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

/**
 * The shard that all of a group is for, found without unpacking it; undefined where the group does not tell: it is of another
 * number of shards, of an older release, or has an address of unusual length.
 */
export function shardOfGroup(bytes: Uint8Array, shardCount: number): number | undefined {
  const at = entryAt(bytes);
  if (bytes[at] !== ENTRY_OF_FOUR || shardCount > FIXINT_MAX || bytes[bytes.byteLength - 1] !== shardCount)
    return undefined;
  const kind = textAt(bytes, at + 1);
  const id = kind && textAt(bytes, kind.end);
  return id && shardOf({ kind: kind.text, id: id.text }, shardCount);
}

const ENTRY_OF_FOUR = 0x94;
/** Numbers up to here are one byte, which is the number. */
const FIXINT_MAX = 0x7f;

/** Behind the head of the array of entries. */
function entryAt(bytes: Uint8Array): number {
  if (bytes[0] === 0xdc) return 3;
  return bytes[0] === 0xdd ? 5 : 1;
}

/** The text that begins there, and where it ends; undefined where it has 256 bytes or more, or is none. */
function textAt(bytes: Uint8Array, at: number): { readonly text: string; readonly end: number } | undefined {
  const head = bytes[at] as number;
  const begin = head === 0xd9 ? at + 2 : at + 1;
  if (head !== 0xd9 && head >> 5 !== 0b101) return undefined;
  const end = begin + (head === 0xd9 ? (bytes[at + 1] as number) : head & 0x1f);
  return { text: Buffer.from(bytes.buffer, bytes.byteOffset + begin, end - begin).toString(), end };
}

const WHAT = 'a group of message batches';
