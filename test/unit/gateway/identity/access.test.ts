import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CodedError } from '../../../../src/base/errors.ts';
import { ROUTES } from '../../../../src/gateway/api/routes.ts';
import type { Principal } from '../../../../src/gateway/http/exchange.ts';
import type { NamedNodes, Route } from '../../../../src/gateway/http/route.ts';
import {
  ACCESS,
  authorise,
  CALLERS,
  mustNameOwn,
  mustShowCertificate,
} from '../../../../src/gateway/identity/access.ts';

const node: Principal = { kind: 'node', name: 'node n', groups: null, untilMs: 0, nodeId: 'n' };
const route = (name: string): Route => (ROUTES as readonly Route[]).find((one) => one.name === name) as Route;
const refusalOf = (run: () => void): string => {
  try {
    run();
    return 'taken';
  } catch (error) {
    return error instanceof CodedError ? error.name : String(error);
  }
};

test('every route that a node token opens for its own node says where nodes are named', () => {
  for (const { name, access, names } of ROUTES as readonly Route[]) {
    const opensOwn = CALLERS.some((caller) => ACCESS[access][caller] === 'own');
    assert.equal(names !== undefined, opensOwn, name);
  }
});

test('an administrator may call everything', () => {
  const admin: Principal = { kind: 'admin', name: 'a', groups: ['admin'], untilMs: 0 };
  for (const one of ROUTES as readonly Route[]) authorise(admin, one, {}, ['admin']);
});

test('the node in the path must be the token’s own', () => {
  assert.equal(
    refusalOf(() => authorise(node, route('postHeartbeat'), { id: 'n' }, [])),
    'taken',
  );
  for (const id of ['m', 'N', 'n ', '', 'constructor'])
    assert.equal(
      refusalOf(() => authorise(node, route('postHeartbeat'), { id }, [])),
      'nodeTokenMismatch',
      id,
    );
});

test('the refusal to disable tells the groups that would do and those that the token has', () => {
  const caller: Principal = { kind: 'user', name: 'u', groups: ['staff'], untilMs: 0 };
  assert.throws(
    () => authorise(caller, route('disableIdp'), {}, ['admin']),
    (error: CodedError) => {
      assert.deepEqual(error.fields, { adminGroups: ['admin'], groupsInToken: ['staff'] });
      return error.name === 'notPrivilegedToDisable';
    },
  );
});

test('every node in a body must be the token’s own; what names none is left to the schema', () => {
  const cases: [NamedNodes, unknown, 'taken' | 'nodeTokenMismatch'][] = [
    ['beats', [{ id: 'n' }, { id: 'n' }], 'taken'],
    ['beats', [{ id: 'n' }, { id: 'm' }], 'nodeTokenMismatch'],
    ['beats', { id: 'm' }, 'nodeTokenMismatch'],
    ['beats', [null, 7, 'm', {}, { id: 5 }], 'taken'],
    ['samples', [{ objectId: 'node-n' }], 'taken'],
    ['samples', [{ objectId: 'node-m' }], 'nodeTokenMismatch'],
    ['samples', [{ objectId: 'n' }], 'nodeTokenMismatch'],
    ['samples', { objectIds: ['node-n', 'node-n'] }, 'taken'],
    ['samples', { objectIds: ['node-n', 'node-m'] }, 'nodeTokenMismatch'],
    ['samples', [{ objectIds: ['node-m'] }], 'nodeTokenMismatch'],
    ['jobs', { events: [{ nodeOid: 'n' }, { nodeOid: 'i-n' }, {}, { nodeOid: null }] }, 'taken'],
    ['jobs', [{}, { events: [{ nodeOid: 'm' }] }], 'nodeTokenMismatch'],
    ['jobs', { events: { nodeOid: 'm' } }, 'nodeTokenMismatch'],
    ['events', { nodeOid: 'm' }, 'nodeTokenMismatch'],
    ['events', [{ nodeOid: 'i-n' }, { nodeOid: 'i-m' }], 'nodeTokenMismatch'],
    ['claim', { nodeId: 'n' }, 'taken'],
    ['claim', { nodeId: 'i-n' }, 'nodeTokenMismatch'],
    ['claim', { nodeId: 'm' }, 'nodeTokenMismatch'],
    ['path', [{ id: 'm' }], 'taken'],
  ];
  for (const [names, body, expected] of cases) {
    const outcome = refusalOf(() => mustNameOwn(node, names, body, () => ['n', 'i-n']));
    assert.equal(outcome, expected, `${names} ${JSON.stringify(body)}`);
  }
  assert.equal(
    refusalOf(() => mustNameOwn({ ...node, kind: 'admin' }, 'beats', [{ id: 'm' }], () => [])),
    'taken',
  );
});

test('without a certificate that is asked for a node reaches what is anyone’s, and people reach what they may', () => {
  const needing = { node: new Set<string>(), join: new Set<string>(), anyone: new Set<string>() };
  for (const kind of CALLERS) {
    const principal: Principal = { kind, name: kind, groups: null, untilMs: 0 };
    for (const one of ROUTES as readonly Route[]) {
      assert.equal(
        refusalOf(() => mustShowCertificate({ isCertified: true, principal }, one)),
        'taken',
      );
      const refusal = refusalOf(() => mustShowCertificate({ isCertified: false, principal }, one));
      if (refusal !== 'taken') {
        assert.equal(refusal, 'certificateMissing');
        needing[kind as keyof typeof needing].add(one.access);
      }
    }
  }
  const all = new Set(Object.keys(ACCESS).filter((access) => access !== 'anyone'));
  assert.deepEqual(needing, { node: all, join: all, anyone: new Set(['worker', 'register']) });
});
