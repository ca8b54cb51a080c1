/**
 * Who changed what, from where: one record in the same transaction as the change itself, so that there is no change
 * without a record. Lives on main; one record at a time, because each needs the hash of the one before.
 */

import type { Write } from '../actors/runtime/behaviour.ts';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/log.ts';
import type { PublicEvent } from '../protocol/event.ts';
import { formatTimestampMs } from '../protocol/timestamp.ts';
import type { Reader } from '../store/kv/store.ts';
import {
  AUDIT_HEAD_KEY,
  type AuditEntry,
  type AuditHead,
  auditKey,
  auditRecord,
  encodeAudit,
  readAuditHead,
} from '../store/records/audit-record.ts';

export interface AuditHost {
  readonly reader: Reader;
  readonly clock: Clock;
  readonly log: Logger;
  readonly commit: (writes: readonly Write[], events: readonly PublicEvent[]) => Promise<void>;
}

/** Some 5 MB. Beyond it the oldest record goes; the next one's `prev` still tells its hash. */
export const AUDIT_RECORDS_MAX = 10_000;
/** Characters of one value's JSON; a list of paths can be long. */
const VALUE_LENGTH_MAX = 256;

export class AuditLog {
  readonly #host: AuditHost;
  #head: AuditHead;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(host: AuditHost) {
    this.#host = host;
    host.reader.refresh();
    this.#head = readAuditHead(host.reader);
  }

  /** The writes, the events and their record are on disk, or none of them is. */
  commit(entry: AuditEntry, writes: readonly Write[] = [], events: readonly PublicEvent[] = []): Promise<void> {
    const turn = this.#queue.catch(() => {}).then(() => this.#commit(entry, writes, events));
    this.#queue = turn;
    return turn;
  }

  async #commit(entry: AuditEntry, writes: readonly Write[], events: readonly PublicEvent[]): Promise<void> {
    const { commit, clock, log } = this.#host;
    const record = auditRecord(entry, this.#head, formatTimestampMs(clock.wallMs()));
    const { seq, hash } = record;
    const own: Write[] = [
      { table: 'audit', key: auditKey(seq), value: encodeAudit(record) },
      { table: 'meta', key: AUDIT_HEAD_KEY, value: encodeAudit({ seq, hash }) },
    ];
    if (seq > AUDIT_RECORDS_MAX) own.push({ table: 'audit', key: auditKey(seq - AUDIT_RECORDS_MAX), value: null });
    await commit([...writes, ...own], events);
    this.#head = { seq, hash };
    const { who, from, action, target } = entry;
    log.info({ audit: seq, hash, action, target, who, from }, 'audit');
  }
}

/** Old and new values of what was changed, short enough to be kept ten thousand times. */
export function changesOf(
  changed: readonly string[],
  before: ReadonlyMap<string, unknown>,
  after: ReadonlyMap<string, unknown>,
): Record<string, unknown> {
  return Object.fromEntries(
    changed.map((key) => [key, { old: shortened(before.get(key)), new: shortened(after.get(key)) }]),
  );
}

/** A long value by its beginning, as JSON. */
export function shortened(value: unknown): unknown {
  const text = JSON.stringify(value) ?? 'null';
  return text.length <= VALUE_LENGTH_MAX ? value : `${text.slice(0, VALUE_LENGTH_MAX)}…`;
}

export interface ChangeAuthor {
  readonly name: string;
  readonly from: string;
}
