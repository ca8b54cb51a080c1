/** The node actor: registration, heartbeats, and the verdicts of `liveness.ts` carried out. */
import { unreachable } from '../../base/assert.ts';
import type { Now } from '../../base/clock.ts';
import { hashOf } from '../../base/hash.ts';
import type { HeartbeatReply } from '../../protocol/heartbeat.ts';
import { nodeObjectId } from '../../protocol/metric.ts';
import type { NodeFacts, NodeState as PublicState } from '../../protocol/node.ts';
import { textKey } from '../../store/kv/keys.ts';
import type { Reader } from '../../store/kv/store.ts';
import { decodeNodeRecord, encodeNodeRecord, endedKey, oidKey } from '../../store/records/node-record.ts';
import { hasSeries, SERIES_LEASE_MS, type SeriesEnv, seriesRows } from '../../store/series/series-index.ts';
import { sampleMessages } from '../aggregator/sample-batch.ts';
import type { Behaviour, Signal, Step, Write } from '../runtime/behaviour.ts';
import type { HeartbeatCheckpointer } from './heartbeat-checkpointer.ts';
import { isTaken, oidWrites, ownOids } from './instances.ts';
import { CONFIRM_MS, extraMs, type LivenessTimes, type MassSilence, nextBeatMs, verdictOf } from './liveness.ts';
import type { LivenessClock } from './liveness-clock.ts';
import type { Beat, ForgetNode, NodeMessage, RegisterNode } from './messages.ts';
import type { SilenceHistogram } from './silence-histogram.ts';

export interface NodeEnv extends SeriesEnv {
  readonly times: LivenessTimes;
  readonly configVersion: number;
  /** 1, or more while the server measures overload. */
  readonly intervalMultiplier: () => number;
  /** The time by which nodes are judged, see `liveness clock.ts`. */
  readonly livenessClock: LivenessClock;
  readonly checkpointer: HeartbeatCheckpointer<NodeState>;
  /** The last heartbeat that the store knows beside the record, in milliseconds since 1970; 0 where there is none. */
  readonly storedBeat: (id: string) => number;
  readonly histogram: SilenceHistogram;
  /** Over all shards. */
  readonly massSilence: (nowMs: number) => MassSilence;
}

export interface NodeState {
  readonly id: string;
  /** The id's hash: spreads the jitter of the nodes. */
  readonly entropy: number;
  status: 'unknown' | 'alive' | 'lost' | 'deregistered';
  /** Static facts as JSON. */
  factsJson: string;
  registeredAtMs: number;
  endedAtMs: number | null;
  /** In liveness time. */
  lastBeatMs: number;
  /** Wall clock of the last beat. */
  wallMs: number;
  /** The checkpointer's round in which the last beat was noted. */
  keptRound: number;
  late: boolean;
  /** When the TTL was first found passed; null while it is not. */
  candidateMs: number | null;
  suspended: boolean;
  /** Metrics that are known to have a series; nodes with the same ones share the set. */
  metrics: ReadonlySet<string>;
  /**
   * Until when they are taken as known, in minutes of the wall clock, which need no box: a series without buckets may be
   * removed (`store/series-index.ts`).
   */
  metricsUntilMinute: number;
}

export interface NodeSignal extends Signal {
  readonly type: 'node.registered' | 'node.late' | 'node.lost' | 'node.alive' | 'node.deregistered' | 'node.held';
  readonly node: string;
}

const MINUTE_MS = 60_000;
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
  const record = bytes && decodeNodeRecord(bytes);
  const nowMs = env.livenessClock.timeAt(now.monotonicMs);
  if (record?.state === 'alive') env.histogram.enter(nowMs);
  return {
    id,
    // Signed: 32 bits that way are a number without a box.
    entropy: hashOf(id) | 0,
    status: record?.state ?? 'unknown',
    factsJson: record?.factsJson ?? '',
    registeredAtMs: record?.registeredAtMs ?? 0,
    endedAtMs: record?.endedAtMs ?? null,
    // After a start, every known node gets a full TTL.
    lastBeatMs: nowMs,
    wallMs: Math.max(record?.lastBeatWallMs ?? 0, env.storedBeat(id)),
    keptRound: 0,
    late: false,
    candidateMs: null,
    suspended: false,
    metrics: NO_METRICS,
    metricsUntilMinute: 0,
  };
}

function receive(state: NodeState, message: NodeMessage, now: Now, env: NodeEnv): Step<NodeState> {
  switch (message.type) {
    case 'beat':
      return beat(state, message, now, env);
    case 'register':
      return register(state, message, now, env);
    case 'deregister':
      return deregister(state, now, env);
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
  const nowMs = env.livenessClock.timeAt(now.monotonicMs);
  env.histogram.move(state.lastBeatMs, nowMs);
  state.lastBeatMs = nowMs;
  state.candidateMs = null;
  return 0;
}

const NO_METRICS: ReadonlySet<string> = new Set();
const sharedSets = new Map<string, ReadonlySet<string>>();
/** Different sets of metrics that nodes share; beyond it a node has a set of its own. */
const SHARED_SETS_MAX = 1_024;

/** Adds what only the store knows. */
function lookUp(state: NodeState, message: NodeMessage, reader: Reader, now: Now): NodeMessage {
  switch (message.type) {
    case 'register':
      reader.refresh();
      return { ...message, isTaken: isTaken(message.facts, reader) };
    case 'forget':
      if (!hasEnded(state)) return message;
      reader.refresh();
      return { ...message, oids: ownOids(factsIn(state), reader) };
    case 'beat': {
      if (state.status !== 'lost') return lookUpMetrics(state, message, reader, now);
      reader.refresh();
      return isTaken(factsIn(state), reader)
        ? { ...message, isTaken: true }
        : lookUpMetrics(state, message, reader, now);
    }
    default:
      return message;
  }
}

function factsIn(state: NodeState): NodeFacts {
  return JSON.parse(state.factsJson) as NodeFacts;
}

/** Finds the metrics that this node sends for the first time; nearly always none, without a look at the store. */
function lookUpMetrics(state: NodeState, message: Beat, reader: Reader, now: Now): Beat {
  // Of a node that is not registered nothing is taken, so nothing may be remembered as written.
  if (!isRegistered(state) || message.samples.length === 0) return message;
  if (!areMetricsFresh(state, now)) {
    state.metrics = NO_METRICS;
    // Half of the lease at least, so that nodes that came together do not look again together.
    const leaseMs = SERIES_LEASE_MS * (0.5 + (state.entropy >>> 0) / 2 ** 33);
    state.metricsUntilMinute = Math.floor((now.wallMs + leaseMs) / MINUTE_MS);
  }
  const unknown = message.samples.map(([metric]) => metric).filter((metric) => !state.metrics.has(metric));
  if (unknown.length === 0) return message;
  reader.refresh();
  state.metrics = sharedSet(new Set([...state.metrics, ...unknown]));
  const objectId = nodeObjectId(state.id);
  return { ...message, newMetrics: [...new Set(unknown)].filter((metric) => !hasSeries(reader, objectId, metric)) };
}

/** Not where the clock was set back either: then nothing tells how old they are. */
function areMetricsFresh({ metricsUntilMinute }: NodeState, { wallMs }: Now): boolean {
  const untilMs = metricsUntilMinute * MINUTE_MS;
  return wallMs < untilMs && wallMs >= untilMs - SERIES_LEASE_MS;
}

function sharedSet(metrics: ReadonlySet<string>): ReadonlySet<string> {
  const key = [...metrics].sort().join(' ');
  const known = sharedSets.get(key);
  if (known) return known;
  if (sharedSets.size < SHARED_SETS_MAX) sharedSets.set(key, metrics);
  return metrics;
}

function beat(state: NodeState, message: Beat, now: Now, env: NodeEnv): Step<NodeState> {
  if (!isRegistered(state)) return { state, refuse: { name: 'notFound' } };
  if (message.isTaken) return { state, refuse: { name: 'instanceTaken' } };
  const { samples, newMetrics = [] } = message;
  if (newMetrics.length > 0 && !env.takeSeries(nodeObjectId(state.id), newMetrics)) {
    // Others were quicker with the last room: whoever sends the beat again hears which of its metrics are not taken.
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

function isRegistered({ status }: NodeState): boolean {
  return status === 'alive' || status === 'lost';
}

function touch(state: NodeState, now: Now, env: NodeEnv): void {
  const nowMs = env.livenessClock.timeAt(now.monotonicMs);
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
  state.lastBeatMs = env.livenessClock.timeAt(now.monotonicMs);
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
  state.factsJson = JSON.stringify(facts);
  if (before !== 'alive') state.registeredAtMs = now.wallMs;
  if (before === 'alive') touch(state, now, env);
  else revive(state, now, env);
  const news = wasSilent ? 'node.alive' : before === 'alive' ? null : 'node.registered';
  return {
    state,
    reply: replyTo(state, now, env),
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

/** Looks at the clock: alive, late, or lost? */
function look(state: NodeState, now: Now, env: NodeEnv): Step<NodeState> {
  const nowMs = env.livenessClock.timeAt(now.monotonicMs);
  const confirmed = state.candidateMs !== null && nowMs - state.candidateMs >= CONFIRM_MS;
  const silentMs = nowMs - state.lastBeatMs - extraMs(env.times, state.lastBeatMs);
  const verdict = verdictOf({ silentMs, confirmed, intervalMultiplier: env.intervalMultiplier() }, env.times, () =>
    env.massSilence(nowMs),
  );
  // A longer TTL is another deadline, to be confirmed anew.
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
      // The end of the hold is another deadline: a stall may fall between, so it is confirmed anew.
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

function hasEnded({ status }: NodeState): boolean {
  return status === 'lost' || status === 'deregistered';
}

function forget(state: NodeState, { endedBeforeMs, oids = [] }: ForgetNode): Step<NodeState> {
  if (!hasEnded(state) || (state.endedAtMs ?? 0) >= endedBeforeMs) return { state, reply: { removed: false } };
  const writes: Write[] = [
    { table: 'node', key: textKey(state.id), value: null },
    { table: 'nodeEnded', key: endedKey(state.endedAtMs ?? 0, state.id), value: null },
    ...oids.map((oid): Write => ({ table: 'nodeByOid', key: oidKey(oid), value: null })),
  ];
  state.status = 'unknown';
  return { state, reply: { removed: true }, writes, stop: true };
}

/** The record, and the row by which an ended node is found when its history is over. */
function recordWrites(state: NodeState, endedBeforeMs: number | null): Write[] {
  const { id, factsJson, registeredAtMs, endedAtMs, wallMs } = state;
  const record = {
    factsJson,
    state: state.status as 'alive' | 'lost' | 'deregistered',
    registeredAtMs,
    endedAtMs,
    lastBeatWallMs: wallMs,
  };
  const writes: Write[] = [{ table: 'node', key: textKey(id), value: encodeNodeRecord(record) }];
  if (endedBeforeMs !== null && endedBeforeMs !== endedAtMs)
    writes.push({ table: 'nodeEnded', key: endedKey(endedBeforeMs, id), value: null });
  if (endedAtMs !== null) writes.push({ table: 'nodeEnded', key: endedKey(endedAtMs, id), value: NOTHING });
  return writes;
}

const NOTHING = new Uint8Array(0);

function signal(type: NodeSignal['type'], state: NodeState): NodeSignal {
  return { type, node: state.id };
}
