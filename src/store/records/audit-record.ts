/**
 * Records of the audit log and the chain between them: each holds the hash of the one before, so that a record that is
 * changed, removed or put in between shows. The chain proves nothing against someone who can rewrite all of it; for that
 * the server log tells each record's hash, and logs can be kept elsewhere.
 *
 *   ┌ seq 7 ───────────┐   ┌ seq 8 ───────────┐
 *   │ prev  hash of 6  │ ┌─┤ prev  hash of 7  │
 *   │ hash ────────────┼─┘ │ hash             │ ◄── head (meta: its seq and hash)
 *   └──────────────────┘   └──────────────────┘
 */

import { hash } from 'node:crypto';
import { isDamaged } from '../kv/checksum.ts';
import { KeyReader, keyOf, textKey } from '../kv/keys.ts';
import type { Reader } from '../kv/store.ts';

/** What was done; `detail` never holds a secret. */
export interface AuditEntry {
  readonly who: string;
  readonly from: string;
  readonly action: string;
  readonly target: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

export interface AuditRecord extends AuditEntry {
  readonly seq: number;
  readonly time: string;
  readonly prev: string;
  readonly hash: string;
}

export interface AuditHead {
  readonly seq: number;
  readonly hash: string;
}

/** Before the first record. */
export const AUDIT_ORIGIN: AuditHead = { seq: 0, hash: '' };
export const AUDIT_HEAD_KEY = textKey('auditHead');

export function auditRecord(entry: AuditEntry, head: AuditHead, time: string): AuditRecord {
  const record = { seq: head.seq + 1, time, ...entry, prev: head.hash };
  return { ...record, hash: hashOf(record) };
}

function hashOf({ seq, time, who, from, action, target, detail, prev }: Omit<AuditRecord, 'hash'>): string {
  return hash('sha256', JSON.stringify([seq, time, who, from, action, target, detail, prev]), 'hex');
}

export function auditKey(seq: number): Uint8Array {
  return keyOf({ number: seq });
}

export function encodeAudit(value: AuditRecord | AuditHead): Uint8Array {
  return textKey(JSON.stringify(value));
}

export function readAuditHead(reader: Reader): AuditHead {
  const bytes = reader.get('meta', AUDIT_HEAD_KEY);
  return bytes ? (JSON.parse(Buffer.from(bytes).toString('utf8')) as AuditHead) : AUDIT_ORIGIN;
}

/** The newest first, from below `before`. */
export function readAudit(reader: Reader, before: number | undefined, limit: number): AuditRecord[] {
  const range = { reverse: true, limit, ...(before === undefined ? {} : { end: auditKey(before) }) };
  return [...reader.range('audit', range)].flatMap(({ value }) => (isDamaged(value) ? [] : [recordOf(value)]));
}

export type AuditVerdict =
  | { readonly ok: true; readonly records: number; readonly head: AuditHead }
  | { readonly ok: false; readonly seq: number; readonly reason: string };

/** Walks the whole chain, from the oldest record that is kept to the head. */
export function verifyAudit(reader: Reader): AuditVerdict {
  const head = readAuditHead(reader);
  let before: AuditHead | undefined;
  let records = 0;
  for (const { key, value } of reader.range('audit')) {
    const at = new KeyReader(key).number();
    const fault = faultOf(value, at, before);
    if (fault !== undefined) return { ok: false, seq: at, reason: fault };
    const { seq, hash: own } = recordOf(value);
    before = { seq, hash: own };
    records++;
  }
  const last = before ?? AUDIT_ORIGIN;
  if (last.seq !== head.seq || last.hash !== head.hash)
    return {
      ok: false,
      seq: last.seq,
      reason: `the log ends here, but the last record written was ${head.seq}`,
    };
  return { ok: true, records, head };
}

function faultOf(value: Uint8Array, at: number, before: AuditHead | undefined): string | undefined {
  if (isDamaged(value)) return 'it is damaged: its checksum does not fit';
  let record: AuditRecord;
  try {
    record = recordOf(value);
  } catch {
    return 'it does not parse';
  }
  if (record.seq !== at) return `it says that it is record ${record.seq}`;
  if (hashOf(record) !== record.hash) return 'its content does not fit its hash';
  if (before && record.seq !== before.seq + 1) return `records ${before.seq + 1} to ${record.seq - 1} are missing`;
  if (before && record.prev !== before.hash) return 'it does not follow the record before it';
  if (!before && record.seq === 1 && record.prev !== AUDIT_ORIGIN.hash) return 'it is not the first';
  return undefined;
}

function recordOf(value: Uint8Array): AuditRecord {
  return JSON.parse(Buffer.from(value).toString('utf8')) as AuditRecord;
}
