/**
 * Who may call what while the identity provider is on (contract section 9), once. The gateway, the OpenAPI document,
 * docs/reference/routes.md and the test that walks every route as every caller are made from this table. With the provider off,
 * everybody may call everything. Pure.
 */
import { CodedError, type ErrorName } from '../../base/errors.ts';
import { nodeObjectId } from '../../protocol/metric.ts';
import type { CallerKind, HttpExchange, Principal } from '../http/exchange.ts';
import type { Access, NamedNodes, Params, Route } from '../http/route.ts';

export const CALLERS = [
  'anyone',
  'outsider',
  'user',
  'operator',
  'admin',
  'node',
  'join',
] as const satisfies readonly CallerKind[];

/**
 * Yes; yes where every node that is named is the caller's own; yes for those who are not bound to queues; or how it is
 * refused.
 */
export type Verdict = 'yes' | 'own' | 'unbound' | ErrorName;

export interface AccessRow extends Readonly<Record<CallerKind, Verdict>> {
  /** For the documents. */
  readonly who: string;
}

/** Those who have no role, and what is a person's, not a worker's. */
const PERSON = {
  anyone: 'tokenMissing',
  outsider: 'notPrivileged',
  admin: 'yes',
  node: 'nodeTokenMismatch',
  join: 'nodeTokenMismatch',
} as const;
const WORKERS = {
  anyone: 'tokenMissing',
  outsider: 'notPrivileged',
  user: 'notPrivileged',
  operator: 'notPrivileged',
  admin: 'yes',
  node: 'own',
} as const;

export const ACCESS: Readonly<Record<Access, AccessRow>> = {
  anyone: {
    who: 'anyone',
    anyone: 'yes',
    outsider: 'yes',
    user: 'yes',
    operator: 'yes',
    admin: 'yes',
    node: 'yes',
    join: 'yes',
  },
  self: { ...PERSON, who: 'anyone with a role or a token', user: 'yes', operator: 'yes', node: 'yes', join: 'yes' },
  // The rule for a new route, until its handler hides what the caller may not see: nobody bound to queues has it.
  user: { ...PERSON, who: 'viewer of all queues', user: 'unbound', operator: 'unbound' },
  scoped: { ...PERSON, who: 'viewer', user: 'yes', operator: 'yes' },
  'scoped-or-worker': { ...PERSON, who: 'viewer, node token', user: 'yes', operator: 'yes', node: 'yes' },
  'scoped-or-own-worker': {
    ...PERSON,
    who: 'viewer, node token (own node)',
    user: 'yes',
    operator: 'yes',
    node: 'own',
  },
  operator: {
    ...PERSON,
    who: 'operator',
    user: 'notPrivileged',
    operator: 'yes',
    node: 'notPrivileged',
    join: 'notPrivileged',
  },
  admin: {
    ...PERSON,
    who: 'administrator',
    user: 'notPrivileged',
    operator: 'notPrivileged',
    node: 'notPrivileged',
    join: 'notPrivileged',
  },
  // Disabling the provider has an error of its own, with the groups in it.
  disable: {
    who: 'administrator',
    anyone: 'tokenMissing',
    outsider: 'notPrivilegedToDisable',
    user: 'notPrivilegedToDisable',
    operator: 'notPrivilegedToDisable',
    admin: 'yes',
    node: 'notPrivilegedToDisable',
    join: 'notPrivilegedToDisable',
  },
  register: { ...WORKERS, who: 'node token (own node), join token, administrator', join: 'yes' },
  worker: { ...WORKERS, who: 'node token (own node), administrator', join: 'nodeTokenMismatch' },
};

/** How the route may refuse a caller whose token is good, or who has none. */
export function refusalsOf(access: Access): ErrorName[] {
  const verdicts = CALLERS.map((caller) => ACCESS[access][caller]);
  const names = verdicts.map((verdict) =>
    verdict === 'own' ? 'nodeTokenMismatch' : verdict === 'unbound' ? 'notPrivileged' : verdict,
  );
  return [...new Set(names)].filter((name) => name !== 'yes');
}

/** The queues whose jobs the caller sees; null: all, and everything else. */
export function queuesSeenBy({ scope }: Principal): readonly string[] | null {
  return scope?.reads ?? null;
}

/** What the path says is known before the body is read; throws the refusal. */
export function authorise(caller: Principal, route: Route, params: Params, adminGroups: readonly string[]): void {
  const verdict = ACCESS[route.access][caller.kind];
  if (verdict === 'yes') return;
  if (verdict === 'own') {
    if (route.names === 'path' && params['id'] !== caller.nodeId) throw new CodedError('nodeTokenMismatch');
    return;
  }
  if (verdict === 'unbound') {
    if (caller.scope?.reads) throw new CodedError('notPrivileged', 'it tells of more than your queues');
    return;
  }
  if (caller.kind === 'outsider' && verdict === 'notPrivileged')
    throw new CodedError(verdict, 'none of your groups has a role: ask an administrator to add one to security.roles');
  if (verdict !== 'notPrivilegedToDisable') throw new CodedError(verdict);
  throw new CodedError(verdict, undefined, { adminGroups, groupsInToken: caller.groups });
}

/**
 * Throws certificateMissing if certificates are required and a node shows none. That concerns callers with a node's token and,
 * while the provider is off, callers of workers' routes. Browsers have no certificate, and need none.
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
    const { [field]: value, events, objectIds } = entry as Readonly<Record<string, unknown>>;
    // Samples in columns.
    if (names === 'samples' && Array.isArray(objectIds))
      for (const objectId of objectIds) if (typeof objectId === 'string') yield objectId;
    // Beside a job's events it is no field of ours, and still a report for another node.
    if (typeof value === 'string') yield value;
    if (names === 'jobs') yield* namesIn('events', events);
  }
}
