/** The node actor: registration, heartbeats, and the verdicts of `liveness.ts` carried out. */

import { unreachable } from '../../base/assert.ts';
import type { Now } from '../../base/clock.ts';
import { hashOf } from '../../base/hash.ts';
import type { HeartbeatReply } from '../../protocol/heartbeat.ts';
import { nodeObjectId } from '../../protocol/metric.ts';
import type { NodeState as PublicState } from '../../protocol/node.ts';
import { formatTimestampMs } from '../../protocol/timestamp.ts';
import { isDamaged } from '../../store/kv/checksum.ts';
import { textKey } from '../../store/kv/keys.ts';
import type { Reader } from '../../store/kv/store.ts';
import { decodeNodeRecord, encodeNodeRecord, endedKey, oidKey } from '../../store/records/node-record.ts';
import { seriesRows } from '../../store/series/series-index.ts';
import { sampleMessages } from '../aggregator/sample-batch.ts';
import type { Behaviour, Step, Write } from '../runtime/behaviour.ts';
import { oidWrites } from './instances.ts';
import { CONFIRM_MS, extraMs, nextBeatMs, verdictOf } from './liveness.ts';
import { areMetricsFresh, factsIn, lookUp, NO_METRICS } from './look-up.ts';
import type { Beat, DrainNode, ForgetNode, InterruptNode, NodeMessage, RegisterNode } from './messages.ts';
import { factsJsonOf, packFacts } from './packed-facts.ts';
import type { NodeEnv, NodeSignal, NodeState } from './state.ts';
import { hasEnded, isRegistered } from './state.ts';

/** Nodes that are not running are in the store; they need no memory. */
const IDLE_MS = 10_000;

export const nodeBehaviour: Behaviour<NodeState, NodeMessage, NodeEnv> = {
  kind: 'node',
  hydrate,
  prepare: lookUp,
  receive,
  fastPath,
  dismiss: (state, env) => {
    if (state.status === 'alive') env.histogram.leave(state.lastBeatMs);
    release(state, env);
  },
  idleMs: (state) => (state.status === 'alive' ? null : IDLE_MS),
};

export function publicStateOf(state: NodeState): PublicState | undefined {
  if (state.status === 'unknown') return undefined;
  return state.status === 'alive' && state.late ? 'late' : state.status;
}

function hydrate(id: string, reader: Reader, now: Now, env: NodeEnv): NodeState {
  const bytes = reader.get('node', textKey(id));
  // A damaged record is as good as none: the node's next heartbeat is answered 404, and its registration writes a new one.
  const record = bytes && !isDamaged(bytes) ? decodeNodeRecord(bytes) : undefined;
  const nowMs = livenessMs(env, now);
  if (record?.state === 'alive') env.histogram.enter(nowMs);
  const { sharedFacts, ownFacts } = packFacts(id, record?.factsJson ?? '');
  return {
    id,
    // Signed: 32 bits that way are a number without a box.
    entropy: hashOf(id) | 0,
    status: record?.state ?? 'unknown',
    sharedFacts,
    ownFacts,
    registeredAtMs: record?.registeredAtMs ?? 0,
    endedAtMs: record?.endedAtMs ?? null,
    // After a start, every known node gets a full TTL.
    lastBeatMs: nowMs,
    wallMs: Math.max(record?.lastBeatWallMs ?? 0, env.storedBeat(id)),
    keptRound: 0,
    late: false,
    candidateMs: null,
    suspended: false,
    drained: record?.drained ?? false,
    interruption: record?.interruption ?? null,
    metrics: NO_METRICS,
    metricsUntilMinute: 0,
  };
}

/** Of a beat, in whole milliseconds: a million of them need no box each. Rounded up, so that no node is judged early. */
function livenessMs({ livenessClock }: NodeEnv, now: Now): number {
  return Math.ceil(livenessClock.timeAt(now.monotonicMs));
}

function receive(state: NodeState, message: NodeMessage, now: Now, env: NodeEnv): Step<NodeState> {
  switch (message.type) {
    case 'beat':
      return beat(state, message, now, env);
    case 'register':
      return register(state, message, now, env);
    case 'deregister':
      return deregister(state, now, env);
    case 'drain':
      return drain(state, message);
    case 'interrupt':
      return interrupt(state, message, now);
    case 'heard':
      return { state };
    case 'wake':
    case 'retime':
      return state.status === 'alive' ? look(state, now, env) : { state };
    case 'timer':
      return state.status === 'alive' ? look(state, now, env) : { state };
    case 'forget':
      return forget(state, message);
    default:
      return unreachable(message);
  }
}

/**
 * A beat of a node that is well, with metrics that have series: memory only. The reply is `nextBeatMs`. The samples are the
 * caller's to keep: they are no part of this state.
 */
function fastPath(state: NodeState, message: NodeMessage, now: Now, env: NodeEnv): number | undefined {
  if (state.status !== 'alive') return undefined;
  if (message.type === 'heard') return hear(state, now, env);
  if (message.type !== 'beat' || state.late) return undefined;
  if (message.samples.length > 0) {
    if (!areMetricsFresh(state, now)) return undefined;
    for (const [metric] of message.samples) if (!state.metrics.has(metric)) return undefined;
  }
  touch(state, now, env);
  return nextBeatOf(state, now, env);
}

/** A sign of life for the verdict; what readers see of the last heartbeat stays. */
function hear(state: NodeState, now: Now, env: NodeEnv): number {
  const nowMs = livenessMs(env, now);
  env.histogram.move(state.lastBeatMs, nowMs);
  state.lastBeatMs = nowMs;
  state.candidateMs = null;
  return 0;
}

function beat(state: NodeState, message: Beat, now: Now, env: NodeEnv): Step<NodeState> {
  if (!isRegistered(state)) return { state, refuse: { name: 'notFound' } };
  if (message.isTaken) return { state, refuse: { name: 'instanceTaken' } };
  const { samples, newMetrics = [] } = message;
  if (newMetrics.length > 0 && !env.takeSeries(nodeObjectId(state.id), newMetrics)) {
    // Other nodes took the last room: a client that sends the beat again learns which of its metrics are rejected.
    state.metrics = NO_METRICS;
    return { state, refuse: { name: 'overloaded' } };
  }
  const returns = state.status === 'lost';
  const wasSilent = state.late;
  const { endedAtMs } = state;
  if (returns) revive(state, now, env);
  else touch(state, now, env);
  const reply = replyTo(state, now, env);
  if (!returns && !wasSilent && samples.length === 0) return { state, reply };
  return {
    state,
    reply,
    writes: [...(returns ? returnWrites(state, endedAtMs) : []), ...seriesRows(nodeObjectId(state.id), newMetrics)],
    ...(returns ? { timerMs: env.times.heartbeatMs } : {}),
    ...(returns || wasSilent ? { signals: [signal('node.alive', state)] } : {}),
    ...(samples.length > 0 ? { deliver: sampleMessages([nodeObjectId(state.id)], samples) } : {}),
  };
}

function touch(state: NodeState, now: Now, env: NodeEnv): void {
  const nowMs = livenessMs(env, now);
  env.histogram.move(state.lastBeatMs, nowMs);
  state.lastBeatMs = nowMs;
  state.wallMs = now.wallMs;
  if (state.keptRound !== env.checkpointer.round) {
    state.keptRound = env.checkpointer.round;
    env.checkpointer.note(state);
  }
  state.late = false;
  state.candidateMs = null;
  release(state, env);
}

function release(state: NodeState, env: NodeEnv): void {
  if (state.suspended) env.histogram.suspended--;
  state.suspended = false;
}

function revive(state: NodeState, now: Now, env: NodeEnv): void {
  state.status = 'alive';
  state.endedAtMs = null;
  state.lastBeatMs = livenessMs(env, now);
  env.histogram.enter(state.lastBeatMs);
  touch(state, now, env);
}

function replyTo(state: NodeState, now: Now, env: NodeEnv): HeartbeatReply {
  return { nextBeatMs: nextBeatOf(state, now, env), configVersion: env.configVersion };
}

function nextBeatOf(state: NodeState, now: Now, env: NodeEnv): number {
  return nextBeatMs(env.times, state.entropy ^ (now.wallMs | 0), env.intervalMultiplier());
}

/** A lost node that is back has its instance again, also where another node has had it meanwhile. */
function returnWrites(state: NodeState, endedAtMs: number | null): Write[] {
  return [...recordWrites(state, endedAtMs), ...oidWrites(factsIn(state))];
}

function register(state: NodeState, message: RegisterNode, now: Now, env: NodeEnv): Step<NodeState> {
  const { facts } = message;
  const before = state.status;
  // A join token is good for every node that is not there, and not for taking the place of one that is.
  if (message.isTaken || (message.joins && before === 'alive')) return { state, refuse: { name: 'instanceTaken' } };
  const { endedAtMs } = state;
  const wasSilent = before === 'lost' || (before === 'alive' && state.late);
  Object.assign(state, packFacts(state.id, JSON.stringify(facts)));
  state.interruption = null;
  if (before !== 'alive') state.registeredAtMs = now.wallMs;
  if (before === 'alive') touch(state, now, env);
  else revive(state, now, env);
  const news = wasSilent ? 'node.alive' : before === 'alive' ? null : 'node.registered';
  return {
    state,
    reply: { ...replyTo(state, now, env), ...(state.drained ? { drained: true as const } : {}) },
    writes: [...recordWrites(state, endedAtMs), ...oidWrites(facts)],
    timerMs: env.times.heartbeatMs,
    ...(news ? { signals: [signal(news, state)] } : {}),
  };
}

function deregister(state: NodeState, now: Now, env: NodeEnv): Step<NodeState> {
  if (state.status === 'unknown') return { state, refuse: { name: 'notFound' } };
  if (state.status === 'deregistered') return { state, reply: undefined };
  if (state.status === 'alive') env.histogram.leave(state.lastBeatMs);
  state.status = 'deregistered';
  release(state, env);
  const { endedAtMs } = state;
  state.endedAtMs = now.wallMs;
  return {
    state,
    reply: undefined,
    writes: recordWrites(state, endedAtMs),
    timerMs: null,
    signals: [signal('node.deregistered', state)],
  };
}

/** Holds for the node until it is undone, whatever becomes of the node meanwhile. */
function drain(state: NodeState, { drained }: DrainNode): Step<NodeState> {
  if (state.status === 'unknown') return { state, refuse: { name: 'notFound' } };
  const news = state.drained !== drained;
  state.drained = drained;
  return {
    state,
    reply: undefined,
    writes: recordWrites(state, state.endedAtMs),
    ...(news ? { signals: [signal('node.drained', state, { drained })] } : {}),
  };
}

function interrupt(state: NodeState, { interruption }: InterruptNode, now: Now): Step<NodeState> {
  if (!isRegistered(state)) return { state, refuse: { name: 'notFound' } };
  const { action, time, receivedAt = formatTimestampMs(now.wallMs) } = state.interruption ?? {};
  const news = action !== interruption.action || time !== interruption.time;
  // Of the first notice: the agent reports it again, and clouds send several.
  state.interruption = { ...interruption, receivedAt };
  return {
    state,
    reply: undefined,
    writes: recordWrites(state, state.endedAtMs),
    ...(news ? { signals: [signal('node.interruption', state, { interruption })] } : {}),
  };
}

/** Looks at the clock: alive, late, or lost? */
function look(state: NodeState, now: Now, env: NodeEnv): Step<NodeState> {
  const nowMs = env.livenessClock.timeAt(now.monotonicMs);
  const confirmed = state.candidateMs !== null && nowMs - state.candidateMs >= CONFIRM_MS;
  const silentMs = nowMs - state.lastBeatMs - extraMs(env.times, state.lastBeatMs);
  const verdict = verdictOf({ silentMs, confirmed, intervalMultiplier: env.intervalMultiplier() }, env.times, () =>
    env.massSilence(nowMs),
  );
  // A longer TTL is another deadline, which must be confirmed again.
  if (verdict.type === 'alive' || verdict.type === 'late') state.candidateMs = null;
  switch (verdict.type) {
    case 'alive':
      return { state, timerMs: verdict.lookAgainMs + 1 };
    case 'late': {
      const news = !state.late;
      state.late = true;
      return { state, timerMs: verdict.lookAgainMs + 1, ...(news ? { signals: [signal('node.late', state)] } : {}) };
    }
    case 'candidate':
      state.late = true;
      state.candidateMs ??= nowMs;
      return { state, timerMs: verdict.lookAgainMs };
    case 'held': {
      const news = !state.suspended;
      if (news) env.histogram.suspended++;
      state.suspended = true;
      // The end of the hold is another deadline: a stall may happen before it, so it is confirmed again.
      state.candidateMs = null;
      return { state, timerMs: verdict.lookAgainMs + 1, ...(news ? { signals: [signal('node.held', state)] } : {}) };
    }
    case 'lost':
      env.histogram.leave(state.lastBeatMs);
      state.status = 'lost';
      release(state, env);
      state.endedAtMs = now.wallMs;
      return { state, writes: recordWrites(state, null), signals: [signal('node.lost', state)] };
    default:
      return unreachable(verdict);
  }
}

function forget(state: NodeState, { endedBeforeMs, oids = [], queueRows = [] }: ForgetNode): Step<NodeState> {
  if (!hasEnded(state) || (state.endedAtMs ?? 0) >= endedBeforeMs) return { state, reply: { removed: false } };
  const writes: Write[] = [
    { table: 'node', key: textKey(state.id), value: null },
    { table: 'nodeEnded', key: endedKey(state.endedAtMs ?? 0, state.id), value: null },
    ...oids.map((oid): Write => ({ table: 'nodeByOid', key: oidKey(oid), value: null })),
    ...queueRows.map((key): Write => ({ table: 'queueNode', key, value: null })),
  ];
  state.status = 'unknown';
  return { state, reply: { removed: true }, writes, stop: true };
}

/** The record, and the row by which an ended node is found when its history is over. */
function recordWrites(state: NodeState, endedBeforeMs: number | null): Write[] {
  const { id, registeredAtMs, endedAtMs, wallMs, drained, interruption } = state;
  const record = {
    factsJson: factsJsonOf(state),
    state: state.status as 'alive' | 'lost' | 'deregistered',
    registeredAtMs,
    endedAtMs,
    lastBeatWallMs: wallMs,
    drained,
    interruption,
  };
  const writes: Write[] = [{ table: 'node', key: textKey(id), value: encodeNodeRecord(record) }];
  if (endedBeforeMs !== null && endedBeforeMs !== endedAtMs)
    writes.push({ table: 'nodeEnded', key: endedKey(endedBeforeMs, id), value: null });
  if (endedAtMs !== null) writes.push({ table: 'nodeEnded', key: endedKey(endedAtMs, id), value: NOTHING });
  return writes;
}

const NOTHING = new Uint8Array(0);

function signal(type: NodeSignal['type'], state: NodeState, more: Partial<NodeSignal> = {}): NodeSignal {
  return { type, node: state.id, ...more };
}
