/** A webhook on disk, and the events that it has not delivered yet. */
import { pack } from 'msgpackr';
import type { WebhookRequest } from '../../protocol/webhook.ts';
import { isDamaged } from '../kv/checksum.ts';
import { KeyReader, keyOf, textKey } from '../kv/keys.ts';
import type { Reader } from '../kv/store.ts';
import { mustUnpackArray } from '../kv/unpack.ts';

export interface StoredWebhook {
  readonly id: string;
  /** Of this webhook and no later one of the same id. */
  readonly uid: string;
  readonly url: string;
  readonly types: WebhookRequest['types'];
  readonly queue: string | null;
  readonly job: string | null;
  readonly node: string | null;
  readonly format: WebhookRequest['format'];
  readonly secret: string;
  /** Absent in records of earlier versions, as the next. */
  readonly isPaused?: boolean;
  /** Of job events only these; null for all of them. */
  readonly eventTypes?: readonly string[] | null;
  /** Position of the last event that it has looked at, as of the last write. */
  readonly seen: number;
  /** Events that can no longer be delivered. */
  readonly lost: number;
}

export interface StoredDelivery {
  /** What must be delivered in order: the job's or the node's id, else the type. */
  readonly key: string;
  readonly type: string;
  readonly timeMs: number;
  readonly json: string;
  /** Since when it has been waiting; the time to give it up runs from here. */
  readonly sinceMs: number;
  readonly isSetAside: boolean;
}

const VERSION = 1;

export function webhookKey(id: string): Uint8Array {
  return textKey(id);
}

export function encodeWebhook(webhook: StoredWebhook): Uint8Array {
  return textKey(JSON.stringify(webhook));
}

export function* readWebhooks(reader: Reader): Iterable<StoredWebhook> {
  for (const { value } of reader.range('webhook'))
    if (!isDamaged(value)) yield JSON.parse(Buffer.from(value).toString('utf8')) as StoredWebhook;
}

export function deliveryKey(uid: string, position: number): Uint8Array {
  return keyOf({ text: uid }, { number: position });
}

export function encodeDelivery({ key, type, timeMs, json, sinceMs, isSetAside }: StoredDelivery): Uint8Array {
  return Uint8Array.from(pack([VERSION, key, type, timeMs, json, sinceMs, isSetAside]));
}

/** Null where the record cannot be read. */
export function decodeDelivery(bytes: Uint8Array): StoredDelivery | null {
  try {
    const [version, key, type, timeMs, json, sinceMs, isSetAside] = mustUnpackArray(bytes, 'a delivery');
    if (version !== VERSION || typeof key !== 'string' || typeof type !== 'string' || typeof json !== 'string')
      return null;
    if (typeof timeMs !== 'number' || typeof sinceMs !== 'number') return null;
    return { key, type, timeMs, json, sinceMs, isSetAside: isSetAside === true };
  } catch {
    return null;
  }
}

export interface DeliveryRow {
  readonly key: Uint8Array;
  readonly uid: string;
  readonly position: number;
  /** Null where the row cannot be read. */
  readonly delivery: StoredDelivery | null;
}

/** Rows in order of webhook and position: there may be millions, so they are read a slice at a time. */
export function readDeliveries(reader: Reader, after: Uint8Array | null, limit: number): DeliveryRow[] {
  const range = after === null ? { limit } : { start: Buffer.concat([after, Uint8Array.of(0)]), limit };
  return [...reader.range('webhookEvent', range)].map(({ key, value }) => {
    const parts = new KeyReader(key);
    return { key, uid: parts.text(), position: parts.number(), delivery: decodeDelivery(value) };
  });
}
