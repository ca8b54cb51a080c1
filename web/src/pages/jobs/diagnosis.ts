/** Why a job does not get on, or that it does: what its events, its node and the settings say together. Pure. */
import type { JobDetail } from '../../../../src/protocol/job.ts';
import { isRunning, isTerminal } from '../../../../src/protocol/job.ts';
import type { WorkerNode } from '../../../../src/protocol/node.ts';
import { spanText, wordsOf } from '../../parts/format.ts';

export interface Finding {
  readonly tone: 'good' | 'warn' | 'bad';
  readonly text: string;
}

export interface Circumstances {
  readonly job: JobDetail;
  /** The node of its last event that names one; null where no such node is known, undefined while that is not known yet. */
  readonly node: WorkerNode | null | undefined;
  /** Milliseconds between checkpoints; undefined where none are to be taken. */
  readonly intervalMs: number | undefined;
  readonly nowMs: number;
}

/** What takes minutes has not ended after this. */
const SLOW_MS = 900_000;
/** A running job says nothing between checkpoints; beyond three of them it should have. */
const QUIET_INTERVALS = 3;
const QUIET_MS_MIN = 3_600_000;
/** So many intervals of work may be at risk: one that runs, and one that is being saved. */
const RISK_INTERVALS = 2;

/** Worst first; never empty. */
export function diagnose(circumstances: Circumstances): Finding[] {
  const { job } = circumstances;
  if (isTerminal(job.status)) return [ending(circumstances)];
  const findings = [...nodeFindings(circumstances), ...stepFindings(circumstances), ...runFindings(circumstances)];
  if (findings.length > 0) return findings.sort((a, b) => Number(b.tone === 'bad') - Number(a.tone === 'bad'));
  return [
    { tone: 'good', text: isRunning(job.status) ? 'It runs, and nothing speaks against it.' : 'It is on its way.' },
  ];
}

function ending({ job }: Circumstances): Finding {
  const span = spanText((Date.parse(job.updatedAt) - Date.parse(job.createdAt)) / 1000);
  const checkpointed = job.checkpoints.successes === 0 ? ' No checkpoint of it succeeded.' : '';
  if (job.status === 'Succeeded') return { tone: 'good', text: `It succeeded, ${span} after it was created.` };
  const how = job.status === 'Failed' ? 'It failed' : 'It was stopped';
  return {
    tone: job.status === 'Failed' ? 'bad' : 'warn',
    text: `${how}, ${span} after it was created.${checkpointed}`,
  };
}

function nodeFindings({ job, node, nowMs }: Circumstances): Finding[] {
  if (job.nodeOid === '' || node === undefined) return [];
  if (node === null) return [{ tone: 'warn', text: `Its node ${job.nodeOid} is not known: it never registered here.` }];
  const silence = spanText((nowMs - Date.parse(node.lastHeartbeat)) / 1000);
  if (node.state === 'lost')
    return [
      { tone: 'bad', text: `Its node ${node.id} is lost: silent for ${silence}. Nothing restored the job since.` },
    ];
  if (node.state === 'deregistered')
    return [{ tone: 'bad', text: `Its node ${node.id} is gone: it said goodbye. Nothing restored the job since.` }];
  if (node.state === 'late') return [{ tone: 'warn', text: `Its node ${node.id} is late: silent for ${silence}.` }];
  return [];
}

/** The step that the job is in, where it should have ended. */
function stepFindings({ job, nowMs }: Circumstances): Finding[] {
  const sinceMs = nowMs - Date.parse(job.updatedAt);
  const since = spanText(sinceMs / 1000);
  switch (job.status) {
    case 'RestoreFailed':
      return [{ tone: 'bad', text: `Its restore failed ${since} ago, and it does not run.` }];
    case 'VolumeUnready':
    case 'RestoreVolumeUnready':
      return [{ tone: 'bad', text: `A volume is not ready, for ${since}.` }];
    case 'Creating':
    case 'Created':
    case 'Restoring':
    case 'Checkpointing':
      if (sinceMs < SLOW_MS) return [];
      return [{ tone: 'warn', text: `${wordsOf(job.status)} for ${since}, without an outcome.${missingVolume(job)}` }];
    case 'Unknown':
      return [{ tone: 'warn', text: 'No event of it was reported yet.' }];
    default:
      return [];
  }
}

function runFindings(circumstances: Circumstances): Finding[] {
  const { job, node, intervalMs, nowMs } = circumstances;
  if (!isRunning(job.status)) return [];
  const findings = riskFindings(circumstances);
  // Nothing more is to be expected of a job whose node has gone.
  if (node?.state === 'lost' || node?.state === 'deregistered') return findings;
  const failures = failuresInARow(job);
  if (failures > 0) {
    const which = failures === 1 ? 'Its last checkpoint' : `Its last ${failures} checkpoints`;
    findings.push({ tone: 'bad', text: `${which} failed. It runs on, unsaved.` });
  }
  const quietMs = nowMs - Date.parse(job.updatedAt);
  if (quietMs > Math.max(QUIET_MS_MIN, QUIET_INTERVALS * (intervalMs ?? 0)))
    findings.push({ tone: 'warn', text: `Nothing was reported of it for ${spanText(quietMs / 1000)}.` });
  return findings;
}

function riskFindings({ job, intervalMs }: Circumstances): Finding[] {
  if (intervalMs === undefined)
    return [{ tone: 'warn', text: 'Checkpoints are not configured: nothing of it is saved.' }];
  const atRisk = job.workAtRisk ?? 0;
  if (atRisk * 1000 <= RISK_INTERVALS * intervalMs) return [];
  const due = spanText(intervalMs / 1000);
  return [{ tone: 'warn', text: `${spanText(atRisk)} of work are at risk, though a checkpoint is due every ${due}.` }];
}

/** Checkpoints that failed since the last one that did not, or since the last restore. */
function failuresInARow({ events }: JobDetail): number {
  let count = 0;
  for (const { eventType } of events.toReversed()) {
    if (eventType === 'Job-CheckpointSucceeded' || eventType === 'Job-RestoreSucceeded') break;
    if (eventType === 'Job-CheckpointFailed') count++;
  }
  return count;
}

function missingVolume({ events }: JobDetail): string {
  const attached = new Set(
    events.filter((event) => event.eventType === 'Volume-Attached').map((event) => event.volumnId),
  );
  const missing = events.find(({ eventType, volumnId }) => eventType === 'Volume-Created' && !attached.has(volumnId));
  return missing ? ` Volume ${missing.volumnId ?? ''} was created and never attached.` : '';
}
