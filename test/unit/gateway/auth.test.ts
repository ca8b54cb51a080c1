import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CodedError } from '../../../src/base/errors.ts';
import { Auth } from '../../../src/gateway/auth.ts';
import type { Access, Route } from '../../../src/gateway/route.ts';
import { ROUTES } from '../../../src/gateway/routes.ts';
import { type Config, newConfig } from '../../../src/protocol/config.ts';
import { CONFIG_SEEDS } from '../../support/config-seeds.ts';
import { newExchange } from '../../support/fake-exchange.ts';

const OFF = newConfig(CONFIG_SEEDS);
const ON: Config = {
  ...OFF,
  security: {
    ...OFF.security,
    idp: {
      enabled: true,
      userPoolID: 'us-east-1_Ab3dE6gH9',
      identityPoolID: '',
      clientID: 'client123',
      adminGroups: ['admin'],
    },
  },
};

function routeOf(access: Access): Route {
  const route = (ROUTES as readonly Route[]).find((one) => one.access === access);
  assert.ok(route, access);
  return route;
}

const ACCESSES: readonly Access[] = ['anyone', 'user', 'admin', 'worker', 'user-or-worker'];

test('with the identity provider off everybody may do everything, whatever the header says', async () => {
  const auth = new Auth(OFF);
  for (const access of ACCESSES) {
    const route = routeOf(access);
    assert.ok(auth.isOpen(route));
    const { call } = newExchange({ headers: { authorization: 'Bearer nonsense' } });
    assert.equal((await auth.admit(call, route)).kind, 'anyone');
  }
});

test('with it on only what anyone may call, and the static files, need no token', () => {
  const auth = new Auth(ON);
  assert.deepEqual(
    ACCESSES.filter((access) => auth.isOpen(routeOf(access))),
    ['anyone'],
  );
  assert.ok(auth.isOpen(null));
});

test('a header that holds no bearer token is a missing token, and no key is fetched for it', async () => {
  const auth = new Auth(ON);
  for (const authorization of ['', 'Bearer', 'Bearer ', 'bearer  ', 'Basic YTpi', 'Bearer a b', 'Token abc', 'abc']) {
    for (const access of ['user', 'admin', 'worker', 'user-or-worker'] as const) {
      const { call } = newExchange({ headers: { authorization } });
      await assert.rejects(
        auth.admit(call, routeOf(access)),
        (error) => error instanceof CodedError && error.name === 'tokenMissing',
        `${JSON.stringify(authorization)} for ${access}`,
      );
    }
  }
});

test('a token that is none is invalid before any key is looked at', async () => {
  const auth = new Auth(ON);
  const none = Buffer.from('{"alg":"none"}').toString('base64url');
  const claims = Buffer.from('{"iss":"x","cognito:groups":["admin"]}').toString('base64url');
  const symmetric = Buffer.from('{"alg":"HS256","kid":"k"}').toString('base64url');
  for (const token of ['abc', 'a.b.c', `${none}.${claims}.`, `${symmetric}.${claims}.AAAA`]) {
    const { call } = newExchange({ headers: { authorization: `bearer ${token}` } });
    await assert.rejects(
      auth.admit(call, routeOf('user')),
      (error) => error instanceof CodedError && error.name === 'tokenInvalid',
      token.slice(0, 20),
    );
  }
});

test('turning the provider off and on again follows the configuration at once', () => {
  const auth = new Auth(ON);
  auth.update(OFF);
  assert.ok(auth.isOpen(routeOf('admin')));
  auth.update(ON);
  assert.ok(!auth.isOpen(routeOf('admin')));
});

test('who may call what is that of contract section 9', () => {
  for (const { name, method, path, access } of ROUTES as readonly Route[]) {
    const isWorkers =
      /^\/api\/v1\/(node\/\{id\}(\/heartbeat)?|heartbeat|job(\/\{id\}\/event)?|nodes\/\{id\}\/files\/\{path\.\.\.\}|metricValue)$/.test(
        path,
      );
    const isOpen = ['/livez', '/readyz', '/api/v1/security/idp'].includes(path);
    if (method !== 'GET') assert.equal(access, isWorkers ? 'worker' : 'admin', name);
    else if (isOpen) assert.equal(access, 'anyone', name);
    else if (path === '/api/v1/config/history') assert.equal(access, 'admin', name);
    else if (path === '/api/v1/config') assert.equal(access, 'user-or-worker', name);
    else if (path !== '/api/v1/heartbeat') assert.equal(access, 'user', name);
  }
});
