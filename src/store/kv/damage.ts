/**
 * Tells the process of records that were found damaged, from whatever thread reads them: a pool thread has no log. The thread
 * that listens names them once.
 */
import type { Table } from './tables.ts';

export interface DamagedRecord {
  readonly table: Table;
  /** The key as text: bytes that are none are written as \xNN. */
  readonly key: string;
}

interface Told extends DamagedRecord {
  readonly folder: string;
}

const CHANNEL = 'cairn-damaged-records';
/** A record that is read again and again is told of once in so long: the listener may not have been there yet. */
const AGAIN_MS = 60_000;
/** Records that are remembered. Overflow policy: forget all, and tell of them again. */
const KNOWN_MAX = 1_000;
const KEY_SHOWN = 200;

/** Records of this thread, and when they were told of. */
const told = new Map<string, { readonly record: Told; readonly atMs: number }>();
type Channel = InstanceType<typeof BroadcastChannel>;

let channel: Channel | undefined;

export function tellOfDamage(folder: string, table: Table, key: Uint8Array): void {
  const record: Told = { folder, table, key: keyText(key) };
  const name = `${folder} ${table} ${record.key}`;
  const nowMs = performance.now();
  const last = told.get(name)?.atMs;
  if (last !== undefined && nowMs - last < AGAIN_MS) return;
  if (told.size >= KNOWN_MAX) told.clear();
  told.set(name, { record, atMs: nowMs });
  channel ??= openChannel();
  channel.postMessage(record);
}

/** `take` hears of every damaged record of the database in this folder, often more than once. Returns what ends it. */
export function listenForDamage(folder: string, take: (record: DamagedRecord) => void): () => void {
  const listening = openChannel();
  listening.onmessage = (event: unknown) => {
    const { data } = event as { readonly data: Told };
    if (data.folder === folder) take({ table: data.table, key: data.key });
  };
  // What this thread read before it began to listen.
  for (const { record } of told.values()) if (record.folder === folder) take({ table: record.table, key: record.key });
  return () => listening.close();
}

export function keyText(key: Uint8Array): string {
  let text = '';
  for (const byte of key) {
    text += byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, '0')}`;
    if (text.length >= KEY_SHOWN) return `${text}…`;
  }
  return text;
}

/** It must not keep its thread alive. */
function openChannel(): Channel {
  const opened = new BroadcastChannel(CHANNEL);
  (opened as unknown as { unref(): void }).unref();
  return opened;
}
