/** Node and join tokens, their revocation, and the key that signs them (contract section 9). */
import { nodeKeyRequestSchema, nodeTokenRequestSchema } from '../../protocol/identity/identity.ts';
import { validate } from '../body/parse-body.ts';
import { authorOf, type Handler } from './handler.ts';
import { mustBeId } from './nodes.ts';

export const makeNodeToken: Handler = async ({ exchange, body }, { main }) => {
  exchange.json(200, await main.makeNodeToken(validate(nodeTokenRequestSchema, body), authorOf(exchange)));
};

export const revokeNodeToken: Handler = async ({ exchange, params }, { main }) => {
  const nodeId = mustBeId(params['id'] as string);
  exchange.json(200, { nodeId, revokedThrough: await main.revokeNodeTokens(nodeId, authorOf(exchange)) });
};

export const revokeJoinTokens: Handler = async ({ exchange }, { main }) => {
  exchange.json(200, { revokedThrough: await main.revokeNodeTokens(null, authorOf(exchange)) });
};

export const rotateNodeKey: Handler = async ({ exchange, body }, { main }) => {
  const { revokeOld } = validate(nodeKeyRequestSchema, body ?? {});
  exchange.json(200, { keyId: await main.rotateNodeKey(revokeOld ?? false, authorOf(exchange)) });
};
