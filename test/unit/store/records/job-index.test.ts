import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KeyReader } from '../../../../src/store/kv/keys.ts';
import {
  type IndexedJob,
  JOB_INDEX_KINDS,
  type JobIndexKind,
  jobIndexWrites,
} from '../../../../src/store/records/job-index.ts';

const JOB: IndexedJob = {
  id: 'job-ü',
  queueName: 'q',
  name: 'name',
  status: 'Running',
  nodeOid: 'i-1',
  created: 1_000n,
  updated: 2_000n,
  text: 'job-ü',
};

interface Row {
  readonly kind: JobIndexKind;
  /** Null in the order of ids. */
  readonly at: bigint | null;
  readonly id: string;
}

/** Kinds with two values have two texts before the time. */
const TEXTS: Partial<Record<JobIndexKind, number>> = {
  updated: 0,
  queueStatus: 2,
  queueStatusUpdated: 2,
  queueByName: 2,
  outcomeByName: 2,
  queueByNode: 2,
  outcomeByNode: 2,
};
const isById = (kind: JobIndexKind): boolean => kind.endsWith('ById');

function rowOf(key: Uint8Array): Row {
  const reader = new KeyReader(key);
  const byte = reader.byte();
  const kind = (Object.keys(JOB_INDEX_KINDS) as JobIndexKind[]).find((one) => JOB_INDEX_KINDS[one] === byte);
  assert.ok(kind);
  for (let i = 0; i < (TEXTS[kind] ?? 1); i++) reader.text();
  return { kind, at: isById(kind) ? null : reader.ns(), id: reader.text() };
}

test('the rows of a job end in its id, and in the time that their order goes by', () => {
  const writes = jobIndexWrites(null, JOB).filter(({ table }) => table === 'jobIndex');
  const rows = writes.map(({ key }) => rowOf(key));
  assert.deepEqual(
    rows,
    (Object.keys(JOB_INDEX_KINDS) as JobIndexKind[]).map((kind) => {
      return { kind, at: isById(kind) ? null : /updated$/i.test(kind) ? JOB.updated : JOB.created, id: JOB.id };
    }),
  );
});

test('a job that moves leaves no row of its old time', () => {
  const after = { ...JOB, updated: 3_000n };
  const writes = jobIndexWrites(JOB, after).filter(({ table }) => table === 'jobIndex');
  const removed = writes.filter(({ value }) => value === null).map(({ key }) => rowOf(key));
  const added = writes.filter(({ value }) => value !== null).map(({ key }) => rowOf(key));
  assert.equal(removed.length, 5);
  assert.ok(removed.every(({ at }) => at === JOB.updated));
  assert.deepEqual(
    added,
    removed.map((row) => ({ ...row, at: after.updated })),
  );
});

test('rows by outcome stay while a job goes on, whatever its status, and move once when it has ended', () => {
  const outcomes = (writes: readonly { readonly table: string; readonly key: Uint8Array }[]): JobIndexKind[] =>
    writes
      .filter(({ table }) => table === 'jobIndex')
      .map(({ key }) => rowOf(key).kind)
      .filter((kind) => kind.startsWith('outcome'));
  assert.deepEqual(outcomes(jobIndexWrites(JOB, { ...JOB, status: 'Checkpointing', updated: 3_000n })), []);
  const ended = jobIndexWrites(JOB, { ...JOB, status: 'Succeeded', updated: 3_000n });
  assert.deepEqual(
    outcomes(ended.filter(({ value }) => value === null)),
    outcomes(ended.filter(({ value }) => value !== null)),
  );
  assert.deepEqual(new Set(outcomes(ended)), new Set(['outcomeByName', 'outcomeByNode', 'outcomeById']));
});
