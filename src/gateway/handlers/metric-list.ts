/** The list of series with their definitions (endpoint 6, contract section 7): checked here, found and written by the pool. */
import type { Definition } from '../../protocol/metric.ts';
import type { MetricListHead } from '../../workers/series/metric-list.ts';
import { countersOf, namesEtag, weakEtag } from '../http/etag.ts';
import type { Headers } from '../http/headers.ts';
import { queuesSeenBy } from '../identity/access.ts';
import { metricListRequestOf } from '../lists/metric-parameters.ts';
import { nextLink } from '../lists/next-link.ts';
import { CONTENT_TYPES } from '../lists/parameters.ts';
import { streamOf } from '../streams/pool-stream.ts';
import type { Handler } from './handler.ts';

export const listMetrics: Handler = async ({ exchange }, { host, main }) => {
  const { filter, limit, after, scope } = metricListRequestOf(exchange.query);
  const { definitions } = host.shared;
  // Read before the rows are: these may be newer than the tag says, never older, so a 304 is never wrong.
  host.reader.refresh();
  const versions = [host.reader.version('series'), host.reader.version('leaving')];
  const etag = weakEtag(countersOf(host.shared), 'metric', ...versions, tagOf(definitions), exchange.rawQuery);
  const queues = queuesSeenBy(exchange.principal);
  // The tag tells when any series came or went, which is not for callers who see only some of them.
  const tag: Headers = queues ? [] : [['etag', etag]];
  if (!queues && namesEtag(exchange.headers['if-none-match'], etag)) {
    exchange.send(304, '', '', [['etag', etag]]);
    return;
  }
  const chunks = streamOf(main, { type: 'metricList', definitions, filter, queues, limit, after });
  // The client may go before there is a stream to cut.
  exchange.onAbort(() => void chunks.return(undefined));
  const first = await chunks.next();
  if (exchange.isOver) return;
  const head = JSON.parse(Buffer.from(first.value as Uint8Array).toString('utf8')) as MetricListHead;
  const next = head.next === null ? [] : [nextLink(exchange, Buffer.from(head.next, 'base64url'), scope)];
  await exchange.stream(200, CONTENT_TYPES.json, chunks, [...tag, ...next]);
};

/** Of what the definitions say; computed once for each list of them. */
const tags = new WeakMap<readonly Definition[], string>();

function tagOf(definitions: readonly Definition[]): string {
  let tag = tags.get(definitions);
  if (tag === undefined) {
    tag = weakEtag(JSON.stringify(definitions));
    tags.set(definitions, tag);
  }
  return tag;
}
