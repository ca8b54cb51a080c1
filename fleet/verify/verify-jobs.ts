/** The list of jobs, element by element, and a sample of single jobs. */
import { epochNsOfMs, mustParseTimestamp } from '../../src/protocol/timestamp.ts';
import { differencesBetween, tell } from '../model/differences.ts';
import { jobIdOf, jobIndexOf } from '../plan/job-plan.ts';
import type { World } from '../plan/world.ts';
import type { JobProgress } from '../run/job-runner.ts';
import { segment } from '../wire/client.ts';
import { type Comparison, eachOf, type Look } from './comparison.ts';
import { replay } from './expectation.ts';
import type { ReadBack } from './read-back.ts';

/** Single jobs that are read: the list has all of them already. */
const DETAILS_MAX = 200;
const AT_A_TIME = 8;
/** How far the server's clock may be from ours in `workAtRisk`. */
const CLOCK_SKEW_MS = 60_000;

export interface JobsSeen {
  /** Jobs in the list that are not the fleet's. */
  foreign: number;
}

export async function verifyJobs(
  comparison: Comparison,
  readBack: ReadBack,
  world: World,
  progress: JobProgress,
): Promise<JobsSeen> {
  const seen: JobsSeen = { foreign: 0 };
  await comparison.check('jobs', () => lookAtList(readBack, world, progress, seen));
  const known = Array.from({ length: world.jobs }, (_, i) => i).filter((i) => (progress.acknowledged[i] as number) > 0);
  const stride = Math.max(1, Math.ceil(known.length / DETAILS_MAX));
  const chosen = known.filter((index, i) => i % stride === 0 && !progress.unsure.has(index));
  await eachOf(chosen, AT_A_TIME, (index) =>
    comparison.check('single jobs', () => lookAtOne(readBack, world, index, progress.acknowledged[index] as number)),
  );
  return seen;
}

async function lookAtList(readBack: ReadBack, world: World, progress: JobProgress, seen: JobsSeen): Promise<Look> {
  const differences: string[] = [];
  const found = new Uint8Array(world.jobs);
  let before: readonly [bigint, string] = [-(1n << 62n), ''];
  let foreign = 0;
  for await (const element of readBack.elements('/api/v1/job')) {
    const job = element as { id: string; createdAt: string };
    const key = [mustParseTimestamp(job.createdAt), job.id] as const;
    const inOrder = before[0] < key[0] || (before[0] === key[0] && before[1] < key[1]);
    if (!inOrder) differences.push(`${job.id} comes after ${before[1]}: the list is not by createdAt, then id`);
    before = key;
    const index = jobIndexOf(world.prefix, job.id);
    if (index === undefined || index >= world.jobs) {
      foreign++;
      continue;
    }
    if (found[index] === 1) differences.push(`${job.id} is in the list twice`);
    found[index] = 1;
    if (progress.unsure.has(index)) continue;
    const model = replay(world, index, progress.acknowledged[index] as number, () => {});
    if (model) differences.push(...differencesBetween(model.expected(), job).map((text) => `${job.id} ${text}`));
    else differences.push(`${job.id} is there, but nothing of it was ever sent`);
  }
  let compared = 0;
  for (let index = 0; index < world.jobs; index++) {
    if (progress.unsure.has(index) || progress.acknowledged[index] === 0) continue;
    compared++;
    if (found[index] === 0) differences.push(`${jobIdOf(world.prefix, index)} is missing`);
  }
  seen.foreign = foreign;
  return { compared, differences };
}

async function lookAtOne(readBack: ReadBack, world: World, index: number, calls: number): Promise<Look> {
  const id = jobIdOf(world.prefix, index);
  const model = replay(world, index, calls, () => {});
  if (!model) return { compared: 0, differences: [] };
  const beforeMs = Date.now() - CLOCK_SKEW_MS;
  const job = (await readBack.json(`/api/v1/job/${segment(id)}`)) as { workAtRisk: unknown };
  const differences = differencesBetween(model.expectedDetail(), job).map((text) => `${id} ${text}`);
  const low = model.workAtRisk(epochNsOfMs(beforeMs));
  const high = model.workAtRisk(epochNsOfMs(Date.now() + CLOCK_SKEW_MS));
  const isRight =
    low === null || high === null
      ? job.workAtRisk === null
      : typeof job.workAtRisk === 'number' && job.workAtRisk >= low && job.workAtRisk <= high;
  if (!isRight) differences.push(tell(`${id} workAtRisk`, low === null ? null : [low, high], job.workAtRisk));
  return { compared: 1, differences };
}
