/** What is said of a node from outside: an operator drains it, the cloud takes its machine back (contract sections 10, 11). */
import type { NodeItem } from '../../actors/node/directory.ts';
import { nodeAddress } from '../../actors/node/messages.ts';
import type { ShardHost } from '../../actors/shard/host/shard-host.ts';
import { CodedError } from '../../base/errors.ts';
import { idSchema } from '../../protocol/id.ts';
import { interruptionSchema } from '../../protocol/node.ts';
import { cleanTexts } from '../../protocol/text.ts';
import { validate } from '../body/parse-body.ts';
import type { Principal } from '../http/exchange.ts';
import { queuesSeenBy } from '../identity/access.ts';
import { findNode, mustSeeNode, seesNode } from '../lists/find-node.ts';
import { authorOf, type Handler } from './handler.ts';

export const interruptNode: Handler = async ({ exchange, params, body }, { host }) => {
  const id = mustBeNode(params['id'] as string);
  const warnings: string[] = [];
  const { action, time } = validate(interruptionSchema, cleanTexts(body, warnings));
  const interruption = { action, time };
  await host.ask(nodeAddress(id), { type: 'interrupt', interruption });
  exchange.json(200, { id, interruption, ...(warnings.length > 0 ? { warnings } : {}) });
};

export const drainNode: Handler = drainHandler(true);
export const undrainNode: Handler = drainHandler(false);

function drainHandler(drained: boolean): Handler {
  return async ({ exchange, params }, { host, main }) => {
    const id = mustBeNode(params['id'] as string);
    await mustOperate(host, id, exchange.principal);
    const known = await findNode(host, id);
    // Written first: there is no drain without a record, and what is drained already is no change.
    if (known && isDrained(known) !== drained) await main.auditDrain(id, drained, authorOf(exchange));
    await host.ask(nodeAddress(id), { type: 'drain', drained });
    exchange.isTaken = true;
    await main.giveOrder(drained ? 'drain' : 'undrain', id);
    exchange.json(200, { id, drained });
  };
}

/** Throws `notFound` where the caller does not see the node, `notPrivileged` where it is not one of the caller's queues. */
async function mustOperate(host: ShardHost, id: string, caller: Principal): Promise<void> {
  const operates = caller.scope?.operates ?? null;
  if (operates === null) return;
  const node = await mustSeeNode(host, id, queuesSeenBy(caller));
  if (!seesNode(host, node, operates))
    throw new CodedError('notPrivileged', 'no job of a queue that you operate ran on it');
}

function isDrained({ json }: NodeItem): boolean {
  return (JSON.parse(json) as { readonly drained?: boolean }).drained === true;
}

/** What is no id is no node. */
function mustBeNode(id: string): string {
  if (!idSchema.safeParse(id).success) throw new CodedError('notFound');
  return id;
}
