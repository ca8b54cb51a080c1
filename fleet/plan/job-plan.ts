/**
 * How a job's life is reported to the server: which call carries which events, in which order, with what untidiness. Real
 * workers shuffle, repeat and forget; all of that happens here, and none of it may change the server's final answers.
 *
 * A plan is a pure function of the world and the job's number, so it is made again for the comparison, not kept.
 */
import type { Random } from '../../src/base/random.ts';
import type { JobEvent } from '../../src/protocol/job.ts';
import { type LifeEvent, planLife } from './job-life.ts';
import { atSecond, drawDigits, formatStamp } from './stamp.ts';
import { shuffle, streamOf } from './stream.ts';
import type { World } from './world.ts';

/** What an update says besides its events; POST …/event says none of it. */
export interface JobFields {
  readonly name?: string;
  readonly cpus?: number;
  readonly memoryInMB?: number;
  readonly maxRootFSUsageMB?: number;
  readonly batchJobIds?: readonly string[];
}

export interface JobCall {
  readonly sendSecond: number;
  readonly route: 'update' | 'event';
  readonly fields: JobFields;
  readonly events: readonly JobEvent[];
  /** Nodes that must be registered before, because the events name them. */
  readonly nodeIds: readonly string[];
}

export interface JobPlan {
  readonly id: string;
  readonly index: number;
  readonly queueName: string;
  readonly calls: readonly JobCall[];
}

const EVENTS_PER_CALL_MAX = 4;
const CPUS = [1, 2, 4, 8, 16, 0.5, 1.5] as const;

export function jobIdOf(prefix: string, index: number): string {
  return `${prefix}-job-${String(index).padStart(6, '0')}`;
}

/** The number in an id that `jobIdOf` made, or undefined. */
export function jobIndexOf(prefix: string, id: string): number | undefined {
  const digits = id.startsWith(`${prefix}-job-`) ? id.slice(prefix.length + 5) : '';
  return /^\d{6,}$/.test(digits) ? Number(digits) : undefined;
}

export function planJob(world: World, index: number): JobPlan {
  const random = streamOf(world.seed, 'job', index);
  const queueName = random.pick(world.queueNames);
  const fields = drawFields(random, world, index);
  const life = planLife(world, random, index);
  return { id: jobIdOf(world.prefix, index), index, queueName, calls: tell(world, random, life, fields) };
}

function drawFields(random: Random, world: World, index: number): JobFields {
  return {
    ...(random.chance(0.9) ? { name: `Simulation №${index}` } : {}),
    ...(random.chance(0.8) ? { cpus: random.pick(CPUS) } : {}),
    ...(random.chance(0.7) ? { memoryInMB: 512 * (1 + random.int(64)) } : {}),
    ...(random.chance(0.2) ? { batchJobIds: [`${world.prefix}-array-${index % 7}`] } : {}),
  };
}

interface Told {
  readonly event: JobEvent;
  readonly atSecond: number;
  readonly nodeId?: string;
}

function tell(world: World, random: Random, life: readonly LifeEvent[], fields: JobFields): JobCall[] {
  const events = life.map((event) => stampEvent(world, random, event));
  const calls: JobCall[] = [];
  const unit = world.spanSeconds / 100;
  let held: Told | undefined;
  let sendSecond = 0;
  const send = (told: readonly Told[]): void => {
    const latest = Math.max(0, ...told.map((item) => item.atSecond));
    sendSecond = Math.min(world.spanSeconds, Math.max(sendSecond, latest + random.between(0, 0.3) * unit));
    // An event call says something, or it is none.
    const isUpdate = random.chance(calls.length === 0 ? 0.8 : 0.5) || told.length === 0;
    const nodeIds = [...new Set(told.flatMap(({ nodeId }) => nodeId ?? []))];
    const call: JobCall = {
      sendSecond,
      route: isUpdate ? 'update' : 'event',
      fields: isUpdate ? { ...fields, ...(random.chance(0.3) ? { maxRootFSUsageMB: 100 + random.int(900) } : {}) } : {},
      events: told.map(({ event }) => event),
      nodeIds,
    };
    calls.push(call);
    // As after a lost reply: the same call again, though it was taken.
    if (random.chance(0.04)) calls.push(call);
  };
  if (random.chance(0.05)) {
    sendSecond = events[0]?.atSecond ?? world.spanSeconds;
    send([]);
  }
  for (let at = 0; at < events.length; ) {
    const size = 1 + random.int(EVENTS_PER_CALL_MAX);
    const group = events.slice(at, at + size);
    const untidy = disturb(random, group, events.slice(0, at));
    send(held ? [held, ...untidy.told] : untidy.told);
    held = untidy.held;
    at += size;
  }
  if (held) send([held]);
  return calls;
}

function stampEvent(world: World, random: Random, life: LifeEvent): Told {
  const { atSecond: second, nodeId, eventType, ...names } = life;
  const timestamp = formatStamp(atSecond(world.startNs, second), drawDigits(random));
  return { event: { timestamp, eventType, ...names }, atSecond: second, ...(nodeId === undefined ? {} : { nodeId }) };
}

/** Shuffles, repeats, and holds one back for the next call, each seldom. */
function disturb(
  random: Random,
  group: readonly Told[],
  before: readonly Told[],
): { told: Told[]; held: Told | undefined } {
  const told = [...group];
  let held: Told | undefined;
  if (told.length > 1 && random.chance(0.06)) [held] = told.splice(random.int(told.length), 1);
  if (told.length > 0 && random.chance(0.05)) told.push(random.pick(told));
  if (before.length > 0 && random.chance(0.05)) told.push(random.pick(before));
  if (random.chance(0.15)) shuffle(random, told);
  return { told, held };
}
