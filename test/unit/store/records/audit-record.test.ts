import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryStore } from '../../../../src/store/kv/memory-store.ts';
import { WriteBatch } from '../../../../src/store/kv/write-batch.ts';
import {
  AUDIT_HEAD_KEY,
  AUDIT_ORIGIN,
  type AuditHead,
  type AuditRecord,
  auditKey,
  auditRecord,
  encodeAudit,
  readAudit,
  verifyAudit,
} from '../../../../src/store/records/audit-record.ts';

const entry = (target: string) => ({
  who: 'anna',
  from: '127.0.0.1',
  action: 'config.changed',
  target,
  detail: { a: 1 },
});

function filled(count: number): { store: MemoryStore; records: AuditRecord[] } {
  const store = new MemoryStore();
  const records: AuditRecord[] = [];
  let head: AuditHead = AUDIT_ORIGIN;
  const batch = new WriteBatch();
  for (let i = 0; i < count; i++) {
    const record = auditRecord(entry(`t${i}`), head, '2026-11-01T10:00:00.000Z');
    records.push(record);
    batch.put('audit', auditKey(record.seq), encodeAudit(record));
    head = { seq: record.seq, hash: record.hash };
  }
  batch.put('meta', AUDIT_HEAD_KEY, encodeAudit(head));
  store.commit([batch.seal()]);
  return { store, records };
}

function change(store: MemoryStore, seq: number, value: AuditRecord | null): void {
  const batch = new WriteBatch();
  if (value) batch.put('audit', auditKey(seq), encodeAudit(value));
  else batch.remove('audit', auditKey(seq));
  store.commit([batch.seal()]);
}

test('a log that nobody touched is whole, also when it is empty or its beginning has gone', () => {
  assert.deepEqual(verifyAudit(new MemoryStore()), { ok: true, records: 0, head: AUDIT_ORIGIN });
  const { store, records } = filled(5);
  assert.equal(verifyAudit(store).ok, true);
  change(store, 1, null);
  assert.deepEqual(verifyAudit(store), { ok: true, records: 4, head: { seq: 5, hash: records[4]?.hash } });
});

test('any field that is changed, a record that is removed, and an end that is cut off are found', () => {
  for (const field of ['time', 'who', 'from', 'action', 'target', 'prev', 'hash'] as const) {
    const { store, records } = filled(5);
    const record = records[2] as AuditRecord;
    change(store, 3, { ...record, [field]: `${record[field]}x` });
    const verdict = verifyAudit(store);
    assert.equal(verdict.ok ? 'whole' : verdict.seq, 3, field);
  }
  for (const seq of [3, 5]) {
    const { store } = filled(5);
    change(store, seq, null);
    assert.equal(verifyAudit(store).ok, false, `record ${seq} removed`);
  }
});

test('a record that was made again with a fitting hash does not fit the next one', () => {
  const { store, records } = filled(5);
  const forged = auditRecord(entry('forged'), records[1] as AuditRecord, '2026-11-01T10:00:00.000Z');
  change(store, 3, forged);
  const verdict = verifyAudit(store);
  assert.equal(verdict.ok ? 'whole' : verdict.seq, 4);
});

test('pages are read from the newest to the oldest', () => {
  const { store } = filled(5);
  assert.deepEqual(
    readAudit(store, undefined, 2).map(({ seq }) => seq),
    [5, 4],
  );
  assert.deepEqual(
    readAudit(store, 4, 10).map(({ seq }) => seq),
    [3, 2, 1],
  );
});
