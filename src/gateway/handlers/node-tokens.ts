/** Node and join tokens, their revocation, and the key that signs them (contract section 9). */
import { nodeKeyRequestSchema, nodeTokenRequestSchema } from '../../protocol/identity.ts';
import { validate } from '../http/body.ts';
import { authorOf, type Handler } from './handler.ts';
import { mustBeId } from './nodes.ts';

export const makeNodeToken: Handler = async ({ call, body }, { main }) => {
  call.json(200, await main.makeNodeToken(validate(nodeTokenRequestSchema, body), authorOf(call)));
};

export const revokeNodeToken: Handler = async ({ call, params }, { main }) => {
  const nodeId = mustBeId(params['id'] as string);
  call.json(200, { nodeId, revokedThrough: await main.revokeNodeTokens(nodeId, authorOf(call)) });
};

export const revokeJoinTokens: Handler = async ({ call }, { main }) => {
  call.json(200, { revokedThrough: await main.revokeNodeTokens(null, authorOf(call)) });
};

export const rotateNodeKey: Handler = async ({ call, body }, { main }) => {
  const { revokeOld } = validate(nodeKeyRequestSchema, body ?? {});
  call.json(200, { keyId: await main.rotateNodeKey(revokeOld ?? false, authorOf(call)) });
};
