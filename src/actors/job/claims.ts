/**
 * Who may run a job, and whose updates count (contract section 10). A claim is held by a node until the job ends; it is free
 * for others once that node is lost, deregistered or reclaimed. The epoch outlives the holder, so that what an earlier copy
 * still sends can be told from what the newest one does.
 */
import type { Failure } from '../../base/errors.ts';
import { type ClaimReply, EPOCH_MAX } from '../../protocol/claim.ts';
import { isTerminal, type JobEvent, statusOfEvent } from '../../protocol/job.ts';
import { UNREADY_EVENTS } from '../../protocol/names/job-status.ts';
import { epochMsOf, mustParseTimestamp } from '../../protocol/timestamp.ts';
import { textKey } from '../../store/kv/keys.ts';
import type { Reader } from '../../store/kv/store.ts';
import { decodeNodeRecord, type NodeRecord, readNodePrice } from '../../store/records/node-record.ts';
import { statusOf } from './derive.ts';
import type { Claim, JobState } from './job-state.ts';
import type { ClaimJob, UpdateJob } from './messages.ts';

/** Adds whether the claim is held, and whether the node that asks for it is registered. */
export function lookUpClaim(state: JobState, message: ClaimJob, reader: Reader, wallMs: number): ClaimJob {
  reader.refresh();
  const claimant = nodeRecordOf(reader, message.nodeId)?.state;
  const isRegistered = claimant === 'alive' || claimant === 'lost';
  return { ...message, isRegistered, isSuspended: isSuspended(state.claim, reader, wallMs) };
}

/** Adds to an update whose outcome depends on it whether the claim is held, and who would be the next to hold it. */
export function lookUpFence({ claim }: JobState, message: UpdateJob, reader: Reader, wallMs: number): UpdateJob {
  const { update, from } = message;
  const isHigher = update.epoch !== undefined && update.epoch !== null && update.epoch > (claim?.epoch ?? 0);
  const isOthers = from !== undefined && from !== claim?.nodeId;
  if (!isHigher && !isOthers) return message;
  const claimant = isHigher ? (from ?? nodeOf(update.events ?? [], reader)) : undefined;
  return {
    ...message,
    ...(claimant === undefined ? {} : { claimant }),
    isSuspended: isSuspended(claim, reader, wallMs),
  };
}

/** The node on which the events say that the job is. */
function nodeOf(events: NonNullable<UpdateJob['update']['events']>, reader: Reader): string | undefined {
  const oid = events.findLast(({ nodeOid }) => nodeOid)?.nodeOid;
  return oid ? readNodePrice(reader, oid)?.nodeId : undefined;
}

function nodeRecordOf(reader: Reader, nodeId: string): NodeRecord | undefined {
  const bytes = reader.get('node', textKey(nodeId));
  return bytes && decodeNodeRecord(bytes);
}

function isSuspended(claim: Claim | null, reader: Reader, wallMs: number): boolean {
  if (!claim || claim.nodeId === null) return false;
  const record = nodeRecordOf(reader, claim.nodeId);
  if (record?.state !== 'alive') return false;
  const { interruption } = record;
  return !interruption || epochMsOf(mustParseTimestamp(interruption.time)) > wallMs;
}

export type Claimed = { readonly claim: Claim; readonly reply: ClaimReply } | { readonly refuse: Failure };

export function claimOf(state: JobState, message: ClaimJob): Claimed {
  const { nodeId, minEpoch, queueName, isRegistered, isSuspended: suspended } = message;
  if (!isRegistered) return notFound('no such node; register it before it claims a job');
  if (!state.exists && queueName === undefined) return notFound('no such job; name its queue in queueName to make it');
  if (suspended && state.claim?.nodeId !== nodeId) return { refuse: refusalBy(state.claim) };
  const epoch = Math.max((state.claim?.epoch ?? 0) + 1, minEpoch ?? 1);
  if (epoch > EPOCH_MAX) return { refuse: { name: 'invalid', fields: { minEpoch: `is above ${EPOCH_MAX}` } } };
  return { claim: { epoch, nodeId }, reply: { epoch, status: statusOf(state) } };
}

export type Fenced = { readonly claim: Claim | null } | { readonly refuse: Failure };

/** Whether an update counts, and the claim that holds from it on. */
export function fence({ claim }: JobState, { update, from, claimant, isSuspended: suspended }: UpdateJob): Fenced {
  const epoch = update.epoch ?? undefined;
  const known = claim?.epoch ?? 0;
  if (epoch !== undefined && epoch < known) return { refuse: refusalBy(claim) };
  if (epoch !== undefined && epoch > known) {
    if (suspended && claim?.nodeId !== claimant) return { refuse: refusalBy(claim) };
    return { claim: { epoch, nodeId: claimant ?? null } };
  }
  if (suspended && from !== undefined && from !== claim?.nodeId) return { refuse: refusalBy(claim) };
  return { claim };
}

/**
 * The claim after the events that an update added. Only an update that names its epoch is known to tell of the claimed copy;
 * without one the event must be what the job's status comes from, or an old one that arrives late would free the claim.
 */
export function claimAfter(
  state: JobState,
  added: readonly JobEvent[],
  epoch: number | null | undefined,
): Claim | null {
  const { claim } = state;
  if (!claim || claim.nodeId === null) return claim;
  const statuses = added.map(({ eventType }) => statusOfEvent(eventType) ?? '');
  const isClaimed = typeof epoch === 'number';
  const ends =
    (statuses.some(isTerminal) && (isClaimed || isTerminal(statusOf(state)))) ||
    // The copy that cannot have its volume gives up; another node may have more luck.
    (isClaimed && added.some(({ eventType }) => UNREADY_EVENTS.has(eventType)));
  return ends ? { ...claim, nodeId: null } : claim;
}

function refusalBy(claim: Claim | null): Failure {
  return { name: 'jobClaimed', fields: { nodeId: claim?.nodeId ?? null, epoch: claim?.epoch ?? 0 } };
}

function notFound(detail: string): Claimed {
  return { refuse: { name: 'notFound', detail } };
}
