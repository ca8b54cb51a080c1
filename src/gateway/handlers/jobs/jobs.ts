/** Jobs and their events (contract section 4 and 5). */

import type { ShardHost } from '../../../actors/shard/host/shard-host.ts';
import { ERROR_CODES } from '../../../base/error-codes.ts';
import { CodedError, isOutcomeUnknown } from '../../../base/errors.ts';
import { epochSchema } from '../../../protocol/claim.ts';
import { idSchema, queueNameSchema } from '../../../protocol/id.ts';
import {
  JOB_UPDATES_PER_CALL_MAX,
  type JobDetail,
  type JobUpdate,
  type JobUpdateReply,
  jobEventSchema,
} from '../../../protocol/job.ts';
import { cleanTexts } from '../../../protocol/text.ts';
import { textKey } from '../../../store/kv/keys.ts';
import { jobHeadOf, jobJsonOf } from '../../../store/records/job-record.ts';
import { isSmallJob, jobDetailText } from '../../../workers/jobs/job-detail.ts';
import { validate } from '../../body/parse-body.ts';
import type { HttpExchange } from '../../http/exchange.ts';
import { queuesSeenBy } from '../../identity/access.ts';
import { CONTENT_TYPES } from '../../lists/parameters.ts';
import { streamOf } from '../../streams/pool-stream.ts';
import type { Handler, HandlerServices } from '../handler.ts';
import { mustBeId } from '../nodes.ts';
import { JobUpdates, OF_ONE_UPDATE } from './job-updates.ts';

export const getJob: Handler = ({ exchange, params }, services) =>
  answerJob(exchange, services, params['id'] as string, []);

/** A small job is read here: a point read of some microseconds is not worth a hop to the pool. */
function answerJob(
  exchange: HttpExchange,
  { host, main }: Pick<HandlerServices, 'host' | 'main'>,
  id: string,
  warnings: readonly string[],
): Promise<void> | void {
  const record = mustReadRecord(host, id, queuesSeenBy(exchange.principal));
  const nowMs = host.clock.wallMs();
  if (isSmallJob(record)) {
    exchange.send(200, CONTENT_TYPES.json, jobDetailText(host.reader, id, record, { nowMs, warnings }));
    return;
  }
  const chunks = streamOf(main, { type: 'jobDetail', id, nowMs, warnings });
  return exchange.stream(200, CONTENT_TYPES.json, chunks);
}

/** The whole job, whatever its size. Throws `notFound`. */
export function mustReadJob(host: ShardHost, id: string, queues: readonly string[] | null): JobDetail {
  const record = mustReadRecord(host, id, queues);
  const text = jobDetailText(host.reader, id, record, { nowMs: host.clock.wallMs(), warnings: [] });
  return JSON.parse(text) as JobDetail;
}

/** Throws `notFound`, also where the job is of a queue that the caller does not see (null: the caller sees all). */
export function mustReadRecord(host: ShardHost, id: string, queues: readonly string[] | null): Uint8Array {
  if (!idSchema.safeParse(id).success) throw new CodedError('notFound');
  host.reader.refresh();
  const record = host.reader.get('job', textKey(id));
  if (!record) throw new CodedError('notFound');
  if (queues && !queues.includes(jobHeadOf(jobJsonOf(record)).queueName)) throw new CodedError('notFound');
  return record;
}

export const postJobs: Handler = async ({ exchange, body }, { host, bearer }) => {
  const updates = Array.isArray(body) ? (body as unknown[]) : [body];
  if (updates.length > JOB_UPDATES_PER_CALL_MAX) {
    throw new CodedError('invalid', undefined, {
      body: `has ${updates.length} updates; at most ${JOB_UPDATES_PER_CALL_MAX} a call`,
    });
  }
  const intake = new JobUpdates(host, await nodeOf(exchange, bearer));
  const rejected: JobUpdateReply['rejected'] = [];
  const valid: JobUpdate[] = [];
  for (const sent of updates) {
    try {
      valid.push(await intake.check(sent));
    } catch (error) {
      // A single update that is not valid is the call's fault; in an array the others must not suffer for it.
      if (!Array.isArray(body) || !(error instanceof CodedError)) throw error;
      rejected.push(rejectionOf(idOf(sent), error));
    }
  }
  const failures = await intake.applyAll(valid);
  mustNotFailWhole(failures);
  const [only] = failures;
  if (only?.name === 'jobClaimed' && !Array.isArray(body)) throw only;
  let accepted = 0;
  failures.forEach((failure, i) => {
    if (!failure) accepted++;
    else rejected.push(rejectionOf((valid[i] as JobUpdate).id, failure));
  });
  const { warnings } = intake;
  exchange.json(200, { accepted, rejected, ...(warnings.length > 0 ? { warnings } : {}) });
};

/**
 * What concerns the server (a full disk, an end) fails the call, unless a part of it was taken: then only the updates that
 * were not taken are rejected, for "overloaded" says that nothing was.
 */
function mustNotFailWhole(failures: readonly (CodedError | undefined)[]): void {
  const ours = failures.filter((failure) => failure && !OF_ONE_UPDATE.has(failure.name));
  const unknown = ours.find((failure) => failure && isOutcomeUnknown(failure));
  const first = unknown ?? ours[0];
  if (first && !failures.includes(undefined)) throw first;
}

function idOf(update: unknown): string {
  const id = (update as { id?: unknown } | null)?.id;
  return typeof id === 'string' ? id.slice(0, 128) : '';
}

function rejectionOf(id: string, error: CodedError): JobUpdateReply['rejected'][number] {
  const { code } = ERROR_CODES[error.name];
  return { id, errorCode: code, message: error.message, ...(error.fields ? { fields: error.fields } : {}) };
}

/** Id of the node whose token the call carries, also while the provider is off and no token is required. */
async function nodeOf(exchange: HttpExchange, bearer: HandlerServices['bearer']): Promise<string | undefined> {
  const caller = exchange.principal.kind === 'anyone' ? await bearer(exchange) : exchange.principal;
  return caller?.kind === 'node' ? caller.nodeId : undefined;
}

export const postJobEvents: Handler = async ({ exchange, params, body }, services) => {
  const { host, bearer } = services;
  const id = mustBeId(params['id'] as string);
  const intake = new JobUpdates(host, await nodeOf(exchange, bearer));
  const { warnings } = intake;
  const events = Array.isArray(body)
    ? await intake.checkEvents(body as unknown[])
    : [validate(jobEventSchema, cleanTexts(body, warnings))];
  const queueName = queueOf(host, id, exchange.query.get('queueName'));
  const failure = await intake.apply({ id, queueName, events, ...epochOf(exchange.query.get('epoch'), body) });
  if (failure) throw failure;
  exchange.isTaken = true;
  await answerJob(exchange, services, id, warnings);
};

/** The claim's epoch, from the query or from the events themselves; of several, the lowest: one stale event is enough. */
function epochOf(text: string | null, body: unknown): { readonly epoch?: number } {
  const sent = (Array.isArray(body) ? body : [body])
    .map((event) => (event as { readonly epoch?: unknown } | null)?.epoch)
    .filter((epoch) => epoch !== undefined && epoch !== null);
  if (text !== null) sent.push(/^\d{1,16}$/.test(text) ? Number(text) : text);
  if (sent.length === 0) return {};
  const result = epochSchema.array().safeParse(sent);
  if (result.success) return { epoch: Math.min(...result.data) };
  throw new CodedError('invalid', undefined, { epoch: 'is not a whole number from 1 on' });
}

/** The job's own queue; of a job that is new, the one that the query names. An event moves no job. */
function queueOf(host: ShardHost, id: string, asked: string | null): string {
  if (asked !== null) {
    const result = queueNameSchema.safeParse(asked);
    if (!result.success)
      throw new CodedError('invalid', undefined, {
        queueName: result.error.issues[0]?.message ?? 'is not a queue name',
      });
  }
  host.reader.refresh();
  const record = host.reader.get('job', textKey(id));
  if (record) return jobHeadOf(jobJsonOf(record)).queueName;
  if (asked === null) throw new CodedError('notFound', 'no such job; give its queue in ?queueName= to create it');
  return asked;
}
