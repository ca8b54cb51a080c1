/** A job's output joined over its copies, a page at a time; followed, until the job has ended. */
import { CodedError } from '../../../base/errors.ts';
import { OUTPUTS, type Output } from '../../../protocol/job-output.ts';
import type { JobOutputPage, JobOutputTask } from '../../../workers/task/task.ts';
import type { HttpExchange } from '../../http/exchange.ts';
import { queuesSeenBy } from '../../identity/access.ts';
import { Subscriber } from '../../streams/waiters.ts';
import type { Handler, HandlerServices } from '../handler.ts';
import { mustReadRecord } from './jobs.ts';

/** How often a followed output is looked at: a person reads along, and each look opens the logs of a job's nodes. */
const LOOK_MS = 500;
/** Looks after the job's end: its last lines come by another way than its events. */
const LAST_LOOKS = 4;

export const getJobOutput: Handler = async ({ exchange, params }, services) => {
  const output = OUTPUTS.find((known) => known === params['output']);
  const id = params['id'] as string;
  if (!output) throw new CodedError('notFound');
  mustReadRecord(services.host, id, queuesSeenBy(exchange.principal));
  const { onlyLastCopy, follow } = queryOf(exchange);
  const subscriber = new Subscriber();
  exchange.onAbort(() => subscriber.end());
  const bytes = (follow ? followed : pagesOf)(services, { id, output, onlyLastCopy, follow }, subscriber);
  await exchange.stream(200, 'text/plain; charset=utf-8', bytes, [['x-accel-buffering', 'no']]);
};

interface Asked {
  readonly id: string;
  readonly output: Output;
  readonly onlyLastCopy: boolean;
  readonly follow: boolean;
}

/** What follows ends with all that follows logs: when the server stops, or the caller must be admitted again. */
async function* followed(services: HandlerServices, asked: Asked, subscriber: Subscriber): AsyncGenerator<Uint8Array> {
  const leave = services.logs.enter(subscriber);
  try {
    yield* pagesOf(services, asked, subscriber);
    if (subscriber.isCut) throw new CodedError('overloaded', 'the output goes on');
  } finally {
    leave();
  }
}

async function* pagesOf(services: HandlerServices, asked: Asked, subscriber: Subscriber): AsyncGenerator<Uint8Array> {
  const { id, output, onlyLastCopy, follow } = asked;
  let from = 0;
  let looksAfterEnd = 0;
  while (!subscriber.isOver) {
    const { logFolder, host } = services;
    const nowMs = host.clock.wallMs();
    const task: JobOutputTask = { type: 'jobOutput', jobId: id, output, onlyLastCopy, logFolder, nowMs, from };
    const page = (await services.main.answer(task)) as JobOutputPage;
    from = page.next;
    if (page.bytes.byteLength > 0) yield page.bytes;
    if (page.more) continue;
    if (!follow || looksAfterEnd >= LAST_LOOKS) return;
    looksAfterEnd = page.isOver ? looksAfterEnd + 1 : 0;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

function queryOf({ query, method }: HttpExchange): { readonly onlyLastCopy: boolean; readonly follow: boolean } {
  const faults: Record<string, string> = {};
  const copy = query.get('copy');
  if (copy !== null && copy !== 'last') faults['copy'] = 'is not last';
  const follow = query.get('follow');
  if (follow !== null && follow !== 'true' && follow !== 'false') faults['follow'] = 'is neither true nor false';
  if (Object.keys(faults).length > 0) throw new CodedError('invalid', undefined, faults);
  // Nothing comes that HEAD could wait for.
  return { onlyLastCopy: copy === 'last', follow: follow === 'true' && method !== 'HEAD' };
}
