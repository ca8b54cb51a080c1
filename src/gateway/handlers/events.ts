/** The event stream (contract section 7). */
import type { ShardHost } from '../../actors/shard/host/shard-host.ts';
import { CodedError } from '../../base/errors.ts';
import { type EventFilter, eventFilterOf } from '../../protocol/event.ts';
import type { NodeFacts } from '../../protocol/node.ts';
import { openPosition } from '../../workers/rows/event-view.ts';
import type { HttpExchange } from '../http/exchange.ts';
import { queuesSeenBy } from '../identity/access.ts';
import { findNode, seesNode } from '../lists/find-node.ts';
import { Subscriber } from '../streams/waiters.ts';
import type { Handler } from './handler.ts';

/** An empty comment: no event, and no position. */
const FILLER = Buffer.from(':\n\n');

export const getEvents: Handler = async ({ exchange }, { host, events }) => {
  const queues = queuesSeenBy(exchange.principal);
  const key = host.shared.identity.positionKey;
  // The beginning of the log has no secret.
  const after = resumePointOf(exchange, queues ? (text) => (text === '0' ? 0 : openPosition(text, key)) : positionIn);
  const follow = followOf(exchange.query.get('follow'));
  const asked = await withInstances(host, eventFilterOf(exchange.query), queues);
  const filter = queues ? { ...asked, scope: { queues, key } } : asked;
  const subscriber = new Subscriber();
  exchange.onAbort(() => subscriber.end());
  const headers = [
    // Proxies that collect answers would hold events back.
    ['x-accel-buffering', 'no'],
  ] as const;
  await exchange.stream(200, 'text/event-stream', events.read(after, filter, subscriber, follow), headers, {
    filler: FILLER,
  });
};

function followOf(sent: string | null): boolean {
  if (sent === null || sent === 'true') return true;
  if (sent === 'false') return false;
  throw new CodedError('invalid', undefined, { follow: 'is neither true nor false' });
}

const POSITION = /^\d{1,15}$/;

/** The header takes precedence: a browser that reconnects sends it along with the original address. */
function resumePointOf(
  { headers, query }: HttpExchange,
  positionOf: (text: string) => number | undefined,
): number | null {
  const header = headers['last-event-id'];
  if (header !== '') {
    const position = positionOf(header);
    if (position === undefined) throw new CodedError('malformed', 'Last-Event-ID is not a position of this log');
    return position;
  }
  const asked = query.get('lastEventId');
  if (asked === null) return null;
  const position = positionOf(asked);
  if (position === undefined) throw new CodedError('invalid', undefined, { lastEventId: 'is not a position' });
  return position;
}

function positionIn(text: string): number | undefined {
  return POSITION.test(text) ? Number(text) : undefined;
}

/** Job events name a node by its instance; who asks for a node by its id wants those too. */
async function withInstances(
  host: ShardHost,
  filter: EventFilter,
  queues: readonly string[] | null,
): Promise<EventFilter> {
  if (filter.nodes === null) return filter;
  const names = new Set(filter.nodes);
  for (const item of await Promise.all(filter.nodes.map((id) => findNode(host, id)))) {
    const instanceId = item && seesNode(host, item, queues) && (JSON.parse(item.json) as NodeFacts).instance.instanceId;
    if (instanceId) names.add(instanceId);
  }
  return { ...filter, nodes: [...names] };
}
