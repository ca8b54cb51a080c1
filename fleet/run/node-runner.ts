/** Plays the nodes of one slot, one after the other: register, beat, change facts, leave. */

import type { Random } from '../../src/base/random.ts';
import type { NodeFacts } from '../../src/protocol/node.ts';
import { formatTimestampMs, mustParseTimestamp } from '../../src/protocol/timestamp.ts';
import type { NodeLife } from '../plan/node-plan.ts';
import { drawDigits, formatStamp } from '../plan/stamp.ts';
import { streamOf } from '../plan/stream.ts';
import { segment } from '../wire/client.ts';
import { persist } from '../wire/persist.ts';
import type { Beat, BeatSender } from './beat-sender.ts';
import { uploadLogs } from './log-runner.ts';
import type { NodeRecord } from './node-record.ts';
import type { RunContext } from './run-context.ts';

/** Real time is not as patient as virtual time: more than a beat a second and node is load for its own sake. */
const BEAT_INTERVAL_MS_MIN = 1_000;

export async function runSlot(run: RunContext, beats: BeatSender, lives: readonly NodeLife[]): Promise<void> {
  const uploads: Promise<void>[] = [];
  for (const life of lives) {
    if (!(await run.clock.until(life.joinSecond))) break;
    const record = run.nodes.get(life.id) as NodeRecord;
    await runNode(run, beats, record, uploads);
  }
  await Promise.all(uploads);
}

/** Resolves when the node has left or the run is over; its last log pieces may still be on their way then. */
async function runNode(
  run: RunContext,
  beats: BeatSender,
  record: NodeRecord,
  uploads: Promise<void>[],
): Promise<void> {
  const { life } = record;
  const random = streamOf(run.world.seed, 'beats', life.id);
  const [first, ...changes] = life.registrations;
  if (!first) return;
  let intervalMs = await register(run, record, first.facts);
  if (intervalMs === undefined) return;
  uploads.push(uploadLogs(run, record));
  let dueMs = performance.now() + random.next() * intervalMs;
  for (;;) {
    const next = changes[0];
    const waitMs = Math.min(
      Math.max(0, dueMs - performance.now()),
      run.clock.realMsUntil(Math.min(life.leaveSecond, next?.atSecond ?? Number.POSITIVE_INFINITY)),
    );
    if (!(await run.clock.pause(waitMs))) return;
    if (run.clock.nowSecond() >= life.leaveSecond) {
      await leave(run, record);
      return;
    }
    if (next && run.clock.nowSecond() >= next.atSecond) {
      changes.shift();
      await register(run, record, next.facts);
    } else if (performance.now() >= dueMs) {
      intervalMs = (await beat(run, beats, record, random)) ?? intervalMs;
      // From when it was due, so that slow answers do not thin the beats; but never a burst of those missed.
      dueMs = Math.max(dueMs + intervalMs, performance.now());
    }
  }
}

/** Milliseconds until the first beat; undefined where the server never took it. */
async function register(run: RunContext, record: NodeRecord, facts: NodeFacts): Promise<number | undefined> {
  const { id } = record.life;
  const sentMs = performance.now();
  try {
    const send = () => run.client.json('PUT', `/api/v1/node/${segment(id)}`, facts);
    const reply = await persist(`the registration of ${id}`, send, run.persistence);
    const answer = JSON.parse(reply.body.toString()) as { id: string; nextBeatMs: number; warnings?: string[] };
    if (answer.id !== id || answer.warnings)
      run.stats.fault(`the registration of ${id} was answered ${reply.body.toString()}`);
    run.stats.registrations++;
    record.acknowledgeFacts(facts, sentMs);
    return beatIntervalMs(run, answer.nextBeatMs);
  } catch (error) {
    run.stats.lose(error);
    record.standing = 'unsure';
    return undefined;
  }
}

function beatIntervalMs(run: RunContext, nextBeatMs: number): number {
  return Math.min(nextBeatMs, Math.max(BEAT_INTERVAL_MS_MIN, nextBeatMs / run.speed));
}

async function leave(run: RunContext, record: NodeRecord): Promise<void> {
  if (!record.life.saysGoodbye) {
    record.standing = 'silent';
    return;
  }
  const { id } = record.life;
  try {
    const send = () => run.client.request('DELETE', `/api/v1/node/${segment(id)}`);
    await persist(`the goodbye of ${id}`, send, run.persistence);
    run.stats.deregistrations++;
    record.standing = 'departed';
  } catch (error) {
    run.stats.lose(error);
    record.standing = 'unsure';
  }
}

/** Sends one beat; the interval to the next where the server told it. */
async function beat(
  run: RunContext,
  beats: BeatSender,
  record: NodeRecord,
  random: Random,
): Promise<number | undefined> {
  const sentMs = performance.now();
  const atNs = BigInt(Date.now()) * 1_000_000n + BigInt(random.int(1_000_000));
  const metrics = drawMetrics(record, random);
  const time = random.chance(0.5)
    ? formatStamp(atNs, drawDigits(random))
    : formatTimestampMs(Number(atNs / 1_000_000n));
  const sent: Beat = { id: record.life.id, time, metrics };
  const outcome = await beats.send(sent);
  keep(record, sent, outcome.type);
  if (outcome.type === 'doubtful') run.stats.doubtful++;
  if (outcome.type !== 'taken') return undefined;
  run.stats.beats++;
  record.acknowledgeBeat(sentMs);
  return beatIntervalMs(run, outcome.nextBeatMs);
}

function drawMetrics({ facts }: NodeRecord, random: Random): Record<string, number> {
  const memoryMB = facts?.memoryInMB ?? 1_024;
  const metrics: Record<string, number> = {
    cpuPercent: random.between(0, 100),
    memoryUsedMB: Math.round(memoryMB * random.between(0.1, 0.95)),
    diskUsedMB: random.between(1_000, 90_000),
  };
  // Not every beat tells everything.
  if (random.chance(0.7)) metrics['fleetTemperature'] = Math.round(random.between(300, 900)) / 10;
  return metrics;
}

function keep(record: NodeRecord, { time, metrics }: Beat, outcome: 'taken' | 'untaken' | 'doubtful'): void {
  if (outcome === 'untaken' || !record.ledgers) return;
  const atNs = mustParseTimestamp(time);
  for (const [metric, value] of Object.entries(metrics)) {
    const ledger = record.ledgerOf(metric);
    if (outcome === 'taken') ledger?.acknowledge({ atNs, value });
    else ledger?.doubt({ atNs, value });
  }
}
