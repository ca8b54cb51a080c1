/**
 * What the agent knows of a job, on disk: an agent that is started again goes on from here. Events are in the record
 * before they are in the spool, with their times: whatever an agent's death cuts in two, the next one sends the very
 * same event again, and the server stores an identical event once.
 */
import { readFileSync } from 'node:fs';
import { writeFileAtomically } from '../base/atomic-file.ts';
import type { ProcessId } from '../base/process-id.ts';
import type { Segment } from '../output/output-join.ts';
import type { SentEvent } from '../updates/update-spool.ts';
import type { JobSpec } from '../wire/job-spec.ts';

export type Phase = 'creating' | 'restoring' | 'running' | 'ended';

/** Why the agent itself ends the copy; null where it does not. */
export type StopReason = 'signal' | 'reclaim' | 'superseded' | null;

export interface JobRecord {
  readonly spec: JobSpec;
  readonly epoch: number;
  readonly phase: Phase;
  /** Counts the copies that were started on this node. */
  readonly copyNumber: number;
  /** Names the copy everywhere: `<node id>-<epoch>-<copy number>`. */
  readonly copyId: string;
  readonly bootId: string;
  readonly engine: 'criu' | 'podman' | 'none';
  readonly stop: StopReason;
  /** The working folder of the copy's root process; null where it has none of its own, or where an agent of before started it. */
  readonly initFolder: string | null;
  /** The image that the copy was restored from, `<epoch>-<number>`. */
  readonly image: string | null;
  /** The engine while it saves the copy: an agent that finds one takes care of what it left. */
  readonly dump: ProcessId | null;
  /** Job-Checkpointing is reported, and what became of it is not. */
  readonly isSaving: boolean;
  /** Wall clock of the last time that an engine was cut off in the middle of a save; 0 for never. */
  readonly dumpCutOffMs: number;
  readonly startedMs: number;
  readonly lastCheckpointMs: number;
  /** No event is older than the one before, whatever clocks say. */
  readonly lastEventMs: number;
  readonly outbox: readonly SentEvent[];
  readonly segments: { readonly stdout: readonly Segment[]; readonly stderr: readonly Segment[] };
  readonly exitCode: number | null;
  readonly message: string | null;
  readonly endedMs: number;
}

export function newRecord(spec: JobSpec, epoch: number, lastEventMs: number): JobRecord {
  return {
    spec,
    epoch,
    phase: 'creating',
    copyNumber: 0,
    copyId: '',
    bootId: '',
    engine: 'none',
    stop: null,
    initFolder: null,
    image: null,
    dump: null,
    isSaving: false,
    dumpCutOffMs: 0,
    startedMs: 0,
    lastCheckpointMs: 0,
    lastEventMs,
    outbox: [],
    segments: { stdout: [], stderr: [] },
    exitCode: null,
    message: null,
    endedMs: 0,
  };
}

/**
 * Null where there is none, or where it cannot be read. Jobs outlive the version of the agent that started them: a field
 * that its record lacks has the value of a new one, and fields that this version does not know stay in it.
 */
export function tryReadRecord(path: string): JobRecord | null {
  try {
    const record = JSON.parse(readFileSync(path, 'utf8')) as JobRecord;
    const isRecord = typeof record.spec?.id === 'string' && Number.isSafeInteger(record.epoch);
    return isRecord ? { ...newRecord(record.spec, record.epoch, 0), ...record } : null;
  } catch {
    return null;
  }
}

/** The environment in it may hold secrets: for the agent's user only. */
export function writeRecord(path: string, record: JobRecord): Promise<void> {
  return writeFileAtomically(path, `${JSON.stringify(record)}\n`, { durable: true });
}
