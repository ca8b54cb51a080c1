/** Worker nodes: registration and reading one (contract section 4). */

import { nodeAddress } from '../../actors/node/messages.ts';
import { CodedError } from '../../base/errors.ts';
import { idSchema } from '../../protocol/id.ts';
import { factsOf, type NodeFacts, nodeRegistrationSchema } from '../../protocol/node.ts';
import { cleanTexts } from '../../protocol/text.ts';
import { oidsOf, oidText } from '../../store/records/node-record.ts';
import { pickFields, validate } from '../body/parse-body.ts';
import type { Principal } from '../http/exchange.ts';
import { queuesSeenBy } from '../identity/access.ts';
import { mustSeeNode } from '../lists/find-node.ts';
import type { Handler, HandlerServices } from './handler.ts';

const FIELDS = Object.keys(nodeRegistrationSchema.shape);

export const registerNode: Handler = async ({ exchange, params, body }, { host, main, bearer }) => {
  const id = mustBeId(params['id'] as string);
  const warnings: string[] = [];
  const sent = validate(nodeRegistrationSchema, cleanTexts(pickFields(body, FIELDS), warnings));
  if (sent.id !== undefined && sent.id !== null && sent.id !== id) {
    throw new CodedError('invalid', undefined, { id: 'differs from the id in the path' });
  }
  const caller = await bearer(exchange);
  const joins = caller?.kind === 'join';
  const facts = factsOf(id, sent, host.clock.wallMs());
  // Made first: a node that joined and got no token would be refused when it joins again, because it is alive.
  const token = await newTokenFor(id, caller, main);
  const reply = await holdingNames(main, facts, () => host.ask(nodeAddress(id), { type: 'register', facts, joins }));
  exchange.json(200, { id, ...reply, ...(token ? { token } : {}), ...(warnings.length > 0 ? { warnings } : {}) });
};

/** One node at a time registers an instance: the actor of the next one finds on disk what the first has taken. */
async function holdingNames<T>(
  main: HandlerServices['main'],
  facts: NodeFacts,
  register: () => Promise<T>,
): Promise<T> {
  const names = oidsOf(facts).map(oidText);
  if (!(await main.reserveNames(facts.id, names))) throw new CodedError('instanceTaken');
  try {
    return await register();
  } finally {
    // Where it cannot be told, main is about to end, or its hold ends by itself.
    main.releaseNames(facts.id, names).catch(() => {});
  }
}

/** A join brings the node its own token, and a token that came so is renewed by registering again. */
async function newTokenFor(
  id: string,
  bearer: Principal | undefined,
  main: HandlerServices['main'],
): Promise<string | undefined> {
  const renews = bearer?.kind === 'node' && bearer.nodeId === id && bearer.isRenewable === true;
  return bearer?.kind === 'join' || renews ? main.ownNodeToken(id) : undefined;
}

export const deregisterNode: Handler = async ({ exchange, params }, { host }) => {
  const id = params['id'] as string;
  if (!idSchema.safeParse(id).success) throw new CodedError('notFound');
  await host.ask(nodeAddress(id), { type: 'deregister' });
  exchange.json(200, { id });
};

export const getNode: Handler = async ({ exchange, params }, { host }) => {
  const item = await mustSeeNode(host, params['id'] as string, queuesSeenBy(exchange.principal));
  exchange.send(200, 'application/json; charset=utf-8', item.json);
};

export function mustBeId(id: string): string {
  const result = idSchema.safeParse(id);
  if (!result.success)
    throw new CodedError('invalid', undefined, { id: result.error.issues[0]?.message ?? 'is not an id' });
  return id;
}
