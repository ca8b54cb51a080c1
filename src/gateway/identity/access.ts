/**
 * Who may call what while the identity provider is on (contract section 9), once. The gateway, the OpenAPI document,
 * docs/reference/routes.md and the test that walks every route as every caller are made from this table. With the provider off,
 * everybody may call everything. Pure.
 */
import { CodedError, type ErrorName } from '../../base/errors.ts';
import { nodeObjectId } from '../../protocol/metric.ts';
import type { HttpExchange, Principal } from '../http/exchange.ts';
import type { Access, NamedNodes, Params, Route } from '../http/route.ts';

export const CALLERS = ['anyone', 'user', 'admin', 'node', 'join'] as const satisfies readonly Principal['kind'][];

/** Yes, yes where every node that is named is the caller's own, or how it is refused. */
export type Verdict = 'yes' | 'own' | ErrorName;

export interface AccessRow extends Readonly<Record<Principal['kind'], Verdict>> {
  /** For the documents. */
  readonly who: string;
}

export const ACCESS: Readonly<Record<Access, AccessRow>> = {
  anyone: { who: 'anyone', anyone: 'yes', user: 'yes', admin: 'yes', node: 'yes', join: 'yes' },
  user: {
    who: 'any signed-in user',
    anyone: 'tokenMissing',
    user: 'yes',
    admin: 'yes',
    node: 'nodeTokenMismatch',
    join: 'nodeTokenMismatch',
  },
  'user-or-worker': {
    who: 'any signed-in user, node token',
    anyone: 'tokenMissing',
    user: 'yes',
    admin: 'yes',
    node: 'yes',
    join: 'nodeTokenMismatch',
  },
  'user-or-own-worker': {
    who: 'any signed-in user, node token (own node)',
    anyone: 'tokenMissing',
    user: 'yes',
    admin: 'yes',
    node: 'own',
    join: 'nodeTokenMismatch',
  },
  admin: {
    who: 'administrator',
    anyone: 'tokenMissing',
    user: 'notPrivileged',
    admin: 'yes',
    node: 'notPrivileged',
    join: 'notPrivileged',
  },
  // Disabling the provider has an error of its own, with the groups in it.
  disable: {
    who: 'administrator',
    anyone: 'tokenMissing',
    user: 'notPrivilegedToDisable',
    admin: 'yes',
    node: 'notPrivilegedToDisable',
    join: 'notPrivilegedToDisable',
  },
  register: {
    who: 'node token (own node), join token, administrator',
    anyone: 'tokenMissing',
    user: 'notPrivileged',
    admin: 'yes',
    node: 'own',
    join: 'yes',
  },
  worker: {
    who: 'node token (own node), administrator',
    anyone: 'tokenMissing',
    user: 'notPrivileged',
    admin: 'yes',
    node: 'own',
    join: 'nodeTokenMismatch',
  },
};

/** How the route may refuse a caller whose token is good, or who has none. */
export function refusalsOf(access: Access): ErrorName[] {
  const verdicts = CALLERS.map((caller) => ACCESS[access][caller]);
  const names = verdicts.map((verdict) => (verdict === 'own' ? 'nodeTokenMismatch' : verdict));
  return [...new Set(names)].filter((name) => name !== 'yes');
}

/** What the path says is known before the body is read; throws the refusal. */
export function authorise(caller: Principal, route: Route, params: Params, adminGroups: readonly string[]): void {
  const verdict = ACCESS[route.access][caller.kind];
  if (verdict === 'yes') return;
  if (verdict === 'own') {
    if (route.names === 'path' && params['id'] !== caller.nodeId) throw new CodedError('nodeTokenMismatch');
    return;
  }
  if (verdict !== 'notPrivilegedToDisable') throw new CodedError(verdict);
  throw new CodedError(verdict, undefined, { adminGroups, groupsInToken: caller.groups });
}

/**
 * Throws certificateMissing where certificates are asked for and a node shows none: whoever has a node's token, and,
 * while the provider is off, whoever makes a worker's call. People's browsers have none, and need none.
 */
export function mustShowCertificate(exchange: Pick<HttpExchange, 'isCertified' | 'principal'>, route: Route): void {
  if (exchange.isCertified || route.access === 'anyone') return;
  const { kind } = exchange.principal;
  const isWorkers = route.access === 'worker' || route.access === 'register';
  if (kind === 'node' || kind === 'join' || (kind === 'anyone' && isWorkers))
    throw new CodedError('certificateMissing');
}

/**
 * Throws nodeTokenMismatch where the body names another node. It looks at what was sent, before it is validated: what
 * does not name a node at all is left to the schema. One stranger refuses the whole call. `oidsOf` gives the names by
 * which jobs may know a node; it is asked only for names other than the node's id.
 */
export function mustNameOwn(
  caller: Principal,
  names: NamedNodes | undefined,
  body: unknown,
  oidsOf: (nodeId: string) => readonly string[],
): void {
  const { nodeId } = caller;
  if (caller.kind !== 'node' || nodeId === undefined || names === undefined || names === 'path') return;
  let oids: readonly string[] | undefined;
  const isOwnOid = (oid: string): boolean => {
    if (oid === nodeId || oid === '') return true;
    oids ??= oidsOf(nodeId);
    return oids.includes(oid);
  };
  for (const name of namesIn(names, body)) {
    const isOwn =
      names === 'beats' || names === 'claim'
        ? name === nodeId
        : names === 'samples'
          ? name === nodeObjectId(nodeId)
          : isOwnOid(name);
    if (!isOwn) throw new CodedError('nodeTokenMismatch');
  }
}

/** Every text that stands where a node is named. */
function* namesIn(names: Exclude<NamedNodes, 'path'>, body: unknown): Iterable<string> {
  const field = { beats: 'id', samples: 'objectId', jobs: 'nodeOid', events: 'nodeOid', claim: 'nodeId' }[names];
  for (const entry of Array.isArray(body) ? body : [body]) {
    if (typeof entry !== 'object' || entry === null) continue;
    const { [field]: value, events } = entry as Readonly<Record<string, unknown>>;
    // Beside a job's events it is no field of ours, and still a report for another node.
    if (typeof value === 'string') yield value;
    if (names === 'jobs') yield* namesIn('events', events);
  }
}
