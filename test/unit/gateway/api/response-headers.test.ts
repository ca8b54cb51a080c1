/** Headers that follow from the configuration and the environment. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SharedState } from '../../../../src/actors/shard/wire/shared-state.ts';
import { pageHeaders, signInHeaders, withInlineStyles } from '../../../../src/gateway/api/response-headers.ts';
import { NO_IDENTITY } from '../../../../src/protocol/identity/identity.ts';

const configWith = (enabled: boolean, issuer = '', identity: object = NO_IDENTITY): SharedState =>
  ({
    config: { security: { idp: { enabled, userPoolID: 'eu-west-1_Abc', clientID: 'c', issuer } } },
    identity,
  }) as unknown as SharedState;

const connectSrc = (env: Readonly<Record<string, string>>, enabled = true): string | undefined =>
  /connect-src [^;]*/.exec(
    Object.fromEntries(pageHeaders(configWith(enabled), env))['content-security-policy'] ?? '',
  )?.[0];

test('a page may ask its server, and the provider once it is on: the pool, its emulator, or another issuer', () => {
  assert.equal(connectSrc({}, false), "connect-src 'self'");
  assert.equal(connectSrc({}), "connect-src 'self' https://cognito-idp.eu-west-1.amazonaws.com");
  assert.equal(connectSrc({ CAIRN_IDP_ISSUER: 'https://idp.example/x' }), "connect-src 'self' https://idp.example");
  assert.equal(
    connectSrc({ CAIRN_IDP_ISSUER: 'https://idp.example/x', CAIRN_COGNITO_ENDPOINT: 'http://127.0.0.1:9229/' }),
    "connect-src 'self' https://idp.example http://127.0.0.1:9229",
  );
});

test('a page is told where users sign in with a password; not where the provider is no Cognito', () => {
  const told = (env: Readonly<Record<string, string>>) => Object.fromEntries(signInHeaders(configWith(true), env));
  assert.deepEqual(told({}), {
    'cairn-sign-in-endpoint': 'https://cognito-idp.eu-west-1.amazonaws.com',
    'cairn-groups-claim': 'cognito:groups',
  });
  assert.deepEqual(told({ CAIRN_IDP_ISSUER: 'https://idp.example', CAIRN_IDP_GROUPS_CLAIM: 'roles' }), {
    'cairn-groups-claim': 'roles',
  });
  assert.equal(
    told({ CAIRN_COGNITO_ENDPOINT: 'http://127.0.0.1:9229' })['cairn-sign-in-endpoint'],
    'http://127.0.0.1:9229',
  );
});

test('with a provider that was named by its issuer a page is told where people sign in, and may ask for tokens there', () => {
  const endpoints = {
    issuer: 'https://login.example/t',
    authorization: 'https://login.example/authorize',
    token: 'https://tokens.example/token',
    endSession: '',
  };
  const identity = { ...NO_IDENTITY, idpKeys: { jwksUri: 'u', keys: [], endpoints } };
  const state = configWith(true, endpoints.issuer, identity);
  assert.deepEqual(Object.fromEntries(signInHeaders(state, {})), {
    'cairn-groups-claim': 'groups',
    'cairn-authorization-endpoint': endpoints.authorization,
    'cairn-token-endpoint': endpoints.token,
  });
  const [, policy = ''] = pageHeaders(state, {}).find(([name]) => name === 'content-security-policy') ?? [];
  assert.match(policy, /connect-src 'self' https:\/\/login\.example https:\/\/tokens\.example;/);
});

test('the reference page may have inline styles, and nothing else that other pages may not', () => {
  const [policy, relaxed] = [
    pageHeaders(configWith(false), {}),
    withInlineStyles(pageHeaders(configWith(false), {})),
  ].map((headers) => Object.fromEntries(headers)['content-security-policy'] ?? '');
  assert.ok(relaxed?.includes("style-src 'self' 'unsafe-inline';"));
  assert.equal(relaxed?.replace(" 'unsafe-inline'", ''), policy);
});
