/** Service tokens, and who the caller is (contract sections 11 and 14). */
import { serviceTokenOf, serviceTokenRequestSchema } from '../../protocol/identity/service-token.ts';
import { validate } from '../body/parse-body.ts';
import { authorOf, type Handler } from './handler.ts';

export const makeServiceToken: Handler = async ({ exchange, body }, { main }) => {
  const request = validate(serviceTokenRequestSchema, body);
  exchange.json(200, await main.makeServiceToken(request, authorOf(exchange)));
};

export const listServiceTokens: Handler = ({ exchange }, { host }) => {
  const nowMs = host.clock.wallMs();
  const { serviceTokens } = host.shared.identity;
  const valid = serviceTokens.filter(({ untilMs }) => untilMs > nowMs).map(serviceTokenOf);
  exchange.json(
    200,
    valid.sort((a, b) => (a.createdAt < b.createdAt ? -1 : a.createdAt > b.createdAt ? 1 : a.id < b.id ? -1 : 1)),
  );
};

export const revokeServiceToken: Handler = async ({ exchange, params }, { main }) => {
  const id = params['id'] as string;
  await main.revokeServiceToken(id, authorOf(exchange));
  exchange.json(200, { id });
};

/** With the provider off everybody may do everything, as an administrator may. */
export const getMe: Handler = ({ exchange }, { host }) => {
  const { kind, name, groups, roles, scope, untilMs, nodeId } = exchange.principal;
  exchange.json(200, {
    name,
    roles: roles ?? (kind === 'anyone' ? ['admin'] : [kind]),
    queues: scope?.reads ?? null,
    groups,
    expiresAt: untilMs === Number.POSITIVE_INFINITY ? null : new Date(untilMs).toISOString(),
    identityProvider: host.shared.config.security.idp.enabled,
    ...(nodeId === undefined ? {} : { nodeId }),
  });
};
