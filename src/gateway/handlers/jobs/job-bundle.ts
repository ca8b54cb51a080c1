/** The log bundle of a job (contract section 7), made by the pool. */
import { logNameOf } from '../../../protocol/config/config.ts';
import type { JobBundleTask } from '../../../workers/task/task.ts';
import { queuesSeenBy } from '../../identity/access.ts';
import { streamOf } from '../../streams/pool-stream.ts';
import type { Handler } from '../handler.ts';
import { mustReadRecord } from './jobs.ts';

export const getJobBundle: Handler = async ({ exchange, params }, { host, main, logFolder }) => {
  const id = params['id'] as string;
  const queues = queuesSeenBy(exchange.principal);
  mustReadRecord(host, id, queues);
  const { config } = host.shared;
  const task: JobBundleTask = {
    type: 'jobBundle',
    jobId: id,
    nowMs: host.clock.wallMs(),
    logFolder,
    serverLogFile: config.log.file,
    serverLogName: `${logNameOf(config)}.log`,
    queues,
  };
  await exchange.stream(200, 'application/gzip', streamOf(main, task, { givesBack: true }), [
    ['content-disposition', `attachment; filename="${id}-logs.tar.gz"`],
  ]);
};
