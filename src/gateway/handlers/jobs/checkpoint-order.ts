/** A checkpoint on demand (contract section 4): an order for the node that the job runs on. */
import type { ShardHost } from '../../../actors/shard/host/shard-host.ts';
import { CodedError } from '../../../base/errors.ts';
import { isRunning, type JobDetail } from '../../../protocol/job.ts';
import { queuesSeenBy } from '../../identity/access.ts';
import type { Handler, HandlerInput } from '../handler.ts';
import { nodeOfJob } from './explain.ts';
import { mustReadJob } from './jobs.ts';

/** `null` is an answer: a job that nobody ordered to be saved is no fault. */
export const getCheckpointOrder: Handler = async ({ exchange, params }, { host, main }) => {
  const job = mustSeeJob(host, { exchange, params });
  exchange.json(200, { order: await main.checkpointOrderOf(job.id) });
};

export const checkpointJob: Handler = async ({ exchange, params }, { host, main }) => {
  const job = mustSeeJob(host, { exchange, params });
  const operates = exchange.principal.scope?.operates ?? null;
  if (operates !== null && !operates.includes(job.queueName))
    throw new CodedError('notPrivileged', 'you do not operate the queue of this job');
  if (!isRunning(job.status))
    throw new CodedError('invalid', undefined, {
      id: `names a job that is ${job.status}: only a running job can be saved`,
    });
  const node = await nodeOfJob(host, job.nodeOid);
  if (!node) throw new CodedError('invalid', undefined, { id: 'names a job whose node is not known' });
  exchange.json(202, await main.giveOrder('checkpoint', node.id, job.id));
};

function mustSeeJob(host: ShardHost, { exchange, params }: Pick<HandlerInput, 'exchange' | 'params'>): JobDetail {
  return mustReadJob(host, params['id'] as string, queuesSeenBy(exchange.principal));
}
