/** What is said of a node from outside: an operator drains it, the cloud takes its machine back (contract sections 10, 11). */
import { nodeAddress } from '../../actors/node/messages.ts';
import { CodedError } from '../../base/errors.ts';
import { idSchema } from '../../protocol/id.ts';
import { interruptionSchema } from '../../protocol/node.ts';
import { cleanTexts } from '../../protocol/text.ts';
import { validate } from '../body/parse-body.ts';
import type { Handler } from './handler.ts';

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
  return async ({ exchange, params }, { host }) => {
    const id = mustBeNode(params['id'] as string);
    await host.ask(nodeAddress(id), { type: 'drain', drained });
    exchange.json(200, { id, drained });
  };
}

/** What is no id is no node. */
function mustBeNode(id: string): string {
  if (!idSchema.safeParse(id).success) throw new CodedError('notFound');
  return id;
}
