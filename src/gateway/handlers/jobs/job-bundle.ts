/** The log bundle of a job (contract section 7), made by the pool. */
import { CodedError } from '../../../base/errors.ts';
import { logNameOf } from '../../../protocol/config/config.ts';
import { idSchema } from '../../../protocol/id.ts';
import { epochMsOf, mustParseTimestamp } from '../../../protocol/timestamp.ts';
import type { JobBundleTask } from '../../../workers/task/task.ts';
import { streamOf } from '../../streams/pool-stream.ts';
import type { Handler } from '../handler.ts';
import { readJob } from './jobs.ts';

export const getJobBundle: Handler = async ({ exchange, params }, { host, main, logFolder }) => {
  const id = params['id'] as string;
  const job = idSchema.safeParse(id).success ? readJob(host, id) : undefined;
  if (!job) throw new CodedError('notFound');
  const { config } = host.shared;
  const task: JobBundleTask = {
    type: 'jobBundle',
    jobId: id,
    jobJson: `${JSON.stringify(job, null, 2)}\n`,
    updatedMs: epochMsOf(mustParseTimestamp(job.updatedAt)),
    nodeOids: [...new Set(job.events.flatMap(({ nodeOid }) => nodeOid || []))],
    logFolder,
    serverLogFile: config.log.file,
    serverLogName: `${logNameOf(config)}.log`,
  };
  await exchange.stream(200, 'application/gzip', streamOf(main, task, { givesBack: true }), [
    ['content-disposition', `attachment; filename="${id}-logs.tar.gz"`],
  ]);
};
