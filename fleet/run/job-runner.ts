/** Tells the server one job's life, call by call, and looks at each answer that shows the job. */

import { differencesBetween } from '../model/differences.ts';
import { JobModel } from '../model/job-model.ts';
import { type JobCall, type JobPlan, planJob } from '../plan/job-plan.ts';
import { jsonBody, segment } from '../wire/client.ts';
import { GaveUp, persist } from '../wire/persist.ts';
import type { RunContext } from './run-context.ts';
import type { UpdateBatcher } from './update-batcher.ts';

/** How far each job's telling came: the calls that are certain to have been taken, in order. */
export class JobProgress {
  readonly acknowledged: Uint16Array;
  /** Jobs of which the last call was never acknowledged. */
  readonly unsure = new Set<number>();

  constructor(jobs: number) {
    this.acknowledged = new Uint16Array(jobs);
  }
}

export async function runJob(
  run: RunContext,
  updates: UpdateBatcher,
  progress: JobProgress,
  index: number,
): Promise<void> {
  const plan = planJob(run.world, index);
  const model = new JobModel(plan.id, plan.queueName, run.world.prices);
  for (const call of plan.calls) {
    if (!(await run.clock.until(call.sendSecond))) return;
    try {
      await nodesRegistered(run, plan, call);
      if (call.route === 'update') await sendUpdate(updates, plan, call);
      model.apply(call.fields, call.events);
      if (call.route === 'event') await sendEvents(run, plan, call, model, progress.acknowledged[index] === 0);
    } catch (error) {
      run.stats.lose(error);
      progress.unsure.add(index);
      return;
    }
    progress.acknowledged[index] = (progress.acknowledged[index] as number) + 1;
    run.stats.jobCalls++;
    run.stats.events += call.events.length;
  }
}

/** A node's price must be known to the server before an event names the node. */
async function nodesRegistered(run: RunContext, plan: JobPlan, { nodeIds }: JobCall): Promise<void> {
  if (nodeIds.length === 0) return;
  const all = Promise.all(nodeIds.map((id) => run.nodes.get(id)?.registered));
  let stop: () => void = () => {};
  const gaveUp = new Promise<'gave up'>((resolve) => {
    stop = () => resolve('gave up');
    if (run.giveUp.aborted) stop();
    run.giveUp.addEventListener('abort', stop);
  });
  const first = await Promise.race([all, gaveUp]);
  run.giveUp.removeEventListener('abort', stop);
  if (first === 'gave up') throw new GaveUp(`${plan.id} waited for ${nodeIds.join(', ')} to be registered`);
}

async function sendUpdate(
  updates: UpdateBatcher,
  { id, queueName }: JobPlan,
  { fields, events }: JobCall,
): Promise<void> {
  await updates.send({ id, queueName, ...fields, ...(events.length > 0 ? { events } : {}) });
}

async function sendEvents(
  run: RunContext,
  plan: JobPlan,
  { events }: JobCall,
  model: JobModel,
  isNew: boolean,
): Promise<void> {
  const query = isNew ? `?queueName=${segment(plan.queueName)}` : '';
  const path = `/api/v1/job/${segment(plan.id)}/event${query}`;
  const body = jsonBody(events.length === 1 ? events[0] : events);
  const reply = await persist(`events of ${plan.id}`, () => run.client.request('POST', path, body), run.persistence);
  const answer: unknown = JSON.parse(reply.body.toString());
  const [difference] = differencesBetween(model.expectedDetail(), answer);
  if (difference) run.stats.fault(`the answer to events of ${plan.id} differs at ${difference}`);
}
