/** Parcels as bytes: for the journal, and for the way from one shard to another. */
import { pack } from 'msgpackr';
import type { PackedParcels } from '../../../store/commit/group-commit.ts';
import { mustUnpackArray, unreadable } from '../../../store/kv/unpack.ts';
import type { AnyMessage } from '../../runtime/address.ts';
import type { Parcel } from '../../runtime/behaviour.ts';
import { shardOf } from './placement.ts';

/** One packed group a shard; each in a buffer of its own, ready to be transferred. */
export function packParcels(parcels: readonly Parcel[], shardCount: number): PackedParcels[] {
  const groups = new Map<number, Parcel[]>();
  for (const parcel of parcels) {
    const shard = shardOf(parcel.to, shardCount);
    const group = groups.get(shard);
    if (group) group.push(parcel);
    else groups.set(shard, [parcel]);
  }
  return [...groups].map(([client, group]) => ({
    client,
    // Copied: msgpackr packs into a shared pool, and a transfer would take all of it.
    bytes: new Uint8Array(pack(group.map(({ to, messages }) => [to.kind, to.id, messages]))),
  }));
}

/** Throws a coded error on bytes that `packParcels` did not make. */
export function unpackParcels(bytes: Uint8Array): Parcel[] {
  return mustUnpackArray(bytes, WHAT).map((entry): Parcel => {
    const [kind, id, messages] = Array.isArray(entry) ? (entry as unknown[]) : [];
    if (typeof kind !== 'string' || typeof id !== 'string' || !Array.isArray(messages)) throw unreadable(WHAT);
    return { to: { kind, id }, messages: messages as AnyMessage[] };
  });
}

const WHAT = 'a group of parcels';
