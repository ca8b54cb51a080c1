/** Plays every job's acknowledged calls into the model again: the jobs as they must be, and the samples that they made. */
import { JOB_METRICS } from '../model/definitions.ts';
import { ExpectedSeries } from '../model/expected-series.ts';
import { JobModel } from '../model/job-model.ts';
import type { ModelSample } from '../model/job-samples.ts';
import { planJob } from '../plan/job-plan.ts';
import type { World } from '../plan/world.ts';

export const SYSTEM_TOTAL = 'system-total';

export type SeriesByMetric = ReadonlyMap<string, ExpectedSeries>;

export function queueObject(queueName: string): string {
  return `queue-${queueName}`;
}

/** Undefined for a job of which the server has acknowledged nothing. */
export function replay(
  world: World,
  index: number,
  calls: number,
  take: (sample: ModelSample, queue: string) => void,
): JobModel | undefined {
  if (calls === 0) return undefined;
  const plan = planJob(world, index);
  const model = new JobModel(plan.id, plan.queueName, world.prices);
  for (const { fields, events } of plan.calls.slice(0, calls)) {
    for (const sample of model.apply(fields, events)) take(sample, plan.queueName);
  }
  return model;
}

/** By metric object: every queue of the fleet, and the system total as it would be without anybody else. */
export function expectedJobSeries(world: World, acknowledged: Uint16Array): ReadonlyMap<string, SeriesByMetric> {
  const objects = new Map<string, Map<string, ExpectedSeries>>();
  for (const objectId of [SYSTEM_TOTAL, ...world.queueNames.map(queueObject)]) {
    objects.set(objectId, new Map([...JOB_METRICS.keys()].map((metric) => [metric, new ExpectedSeries()])));
  }
  for (let index = 0; index < world.jobs; index++) {
    replay(world, index, acknowledged[index] as number, ({ metric, atNs, value }, queue) => {
      for (const objectId of [SYSTEM_TOTAL, queueObject(queue)]) objects.get(objectId)?.get(metric)?.add(atNs, value);
    });
  }
  return objects;
}

/** Whether any job put samples there: such an object is listed with every job metric. */
export function hasSamples(series: SeriesByMetric): boolean {
  return [...series.values()].some(({ isEmpty }) => !isEmpty);
}
