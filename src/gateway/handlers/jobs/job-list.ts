/** The list of jobs (endpoint 16, contract section 7): checked here, found and written by the pool. */

import { tellsOfEvents } from '../../../protocol/lists/job-columns.ts';
import { type JobListHead, shortPage } from '../../../workers/jobs/job-list.ts';
import type { JobListTask } from '../../../workers/task/task.ts';
import { countersOf, namesEtag, weakEtag } from '../../http/etag.ts';
import type { Headers } from '../../http/headers.ts';
import { queuesSeenBy } from '../../identity/access.ts';
import { idsOfNode } from '../../lists/find-node.ts';
import { type JobListRequest, jobCountRequestOf, jobListRequestOf } from '../../lists/job-parameters.ts';
import { nextLink } from '../../lists/next-link.ts';
import { CONTENT_TYPES } from '../../lists/parameters.ts';
import { streamOf } from '../../streams/pool-stream.ts';
import type { Handler, HandlerServices } from '../handler.ts';

const VARY: Headers = [['vary', 'accept']];

export const listJobs: Handler = async ({ exchange }, { host, main }) => {
  host.reader.refresh();
  const queues = queuesSeenBy(exchange.principal);
  const sight = { idsOfNode: (node: string) => idsOfNode(host, node), queues };
  const request = jobListRequestOf(exchange.query, exchange.headers.accept, sight);
  const { query, style, limit, after, scope } = request;
  // Read before the rows are: these may be newer than the tag says, never older, so a 304 is never wrong.
  // By which ids a node is named is known by its registration, which is no change of a job.
  const question = [style.format, exchange.rawQuery, ...(query.filter.nodes ?? [])];
  const etag = weakEtag(
    countersOf(host.shared),
    'job',
    host.reader.version('job'),
    ...question,
    ...nodesOf(request, host),
  );
  // The tag tells when any job changed, which is not for callers who see only some of them.
  // Nor is it true of what grows with time alone.
  const isTagged = !queues && !tellsOfEvents(style.fields);
  const headers = !isTagged ? VARY : [...VARY, ['etag', etag] as const];
  if (isTagged && namesEtag(exchange.headers['if-none-match'], etag)) {
    exchange.send(304, '', '', headers);
    return;
  }
  const task: JobListTask = {
    type: 'jobList',
    query,
    after,
    limit,
    style,
    isBound: queues !== null,
    nowMs: host.clock.wallMs(),
  };
  const linkTo = (next: Uint8Array | null) => (next === null ? [] : [nextLink(exchange, next, scope)]);
  const short = shortPage(host.reader, task);
  if (short) {
    exchange.send(200, CONTENT_TYPES[style.format], short.bytes, [...headers, ...linkTo(short.next)]);
    return;
  }
  const chunks = streamOf(main, task, { givesBack: true });
  // The client may go before there is a stream to cut.
  exchange.onAbort(() => void chunks.return(undefined));
  const first = await chunks.next();
  if (exchange.isOver) return;
  const head = JSON.parse(Buffer.from(first.value as Uint8Array).toString('utf8')) as JobListHead;
  const next = linkTo(head.next === null ? null : Buffer.from(head.next, 'base64url'));
  await exchange.stream(200, CONTENT_TYPES[style.format], chunks, [...headers, ...next]);
};

/** What a phase depends on beside the job, which nodes there are and which of them are gone, and a search on their names. */
function nodesOf({ query, style }: JobListRequest, { reader }: HandlerServices['host']): number[] {
  const { phases, q } = query.filter;
  const tellsPhase = phases !== undefined || style.fields?.includes('phase') === true;
  if (tellsPhase) return [reader.version('nodeByOid'), reader.version('nodeEnded')];
  return q === undefined ? [] : [reader.version('nodeByOid')];
}

export const countJobs: Handler = async ({ exchange }, { host, main }) => {
  host.reader.refresh();
  const { by, filter } = jobCountRequestOf(exchange.query, {
    idsOfNode: (node) => idsOfNode(host, node),
    queues: queuesSeenBy(exchange.principal),
  });
  await exchange.stream(200, CONTENT_TYPES.json, streamOf(main, { type: 'jobCount', by, filter }));
};
