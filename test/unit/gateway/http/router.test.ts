import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CodedError } from '../../../../src/base/errors.ts';
import { ROUTES } from '../../../../src/gateway/api/routes.ts';
import type { Method, Route } from '../../../../src/gateway/http/route.ts';
import { type Match, Router } from '../../../../src/gateway/http/router.ts';

function route(method: Method, path: string, name = `${method} ${path}`): Route {
  const answer = { description: '', contentType: 'application/json', schema: null };
  return { name, method, path, summary: '', access: 'user', answer, errors: [] };
}

const ROUTER = new Router([
  route('GET', '/'),
  route('GET', '/job'),
  route('POST', '/job'),
  route('GET', '/job/{id}'),
  route('POST', '/job/{id}/event'),
  route('DELETE', '/job/{id}'),
  route('GET', '/job/all'),
  route('POST', '/only'),
  route('GET', '/nodes/{id}/{path...}'),
  route('GET', '/nodes/{id}/files'),
  route('PUT', '/nodes/{id}/files/{path...}'),
]);

/** `name {params}`, the methods that are allowed, or nothing. */
function matched(method: string, path: string, router = ROUTER): string {
  const match: Match = router.match(method, path);
  if (match.type === 'none') return '';
  if (match.type === 'method') return `allow ${match.allow.join(',')}`;
  return `${match.route.name} ${JSON.stringify(match.params)}`;
}

test('a path is found with the parameters that stand in it', () => {
  assert.equal(matched('GET', '/job'), 'GET /job {}');
  assert.equal(matched('GET', '/job/j-1'), 'GET /job/{id} {"id":"j-1"}');
  assert.equal(matched('POST', '/job/j-1/event'), 'POST /job/{id}/event {"id":"j-1"}');
  assert.equal(matched('GET', '/'), 'GET / {}');
});

test('a fixed segment wins over a parameter, and a parameter over the rest', () => {
  assert.equal(matched('GET', '/job/all'), 'GET /job/all {}');
  assert.equal(matched('GET', '/nodes/n-1/files'), 'GET /nodes/{id}/files {"id":"n-1"}');
  assert.equal(matched('GET', '/nodes/n-1/filesX'), 'GET /nodes/{id}/{path...} {"path":"filesX","id":"n-1"}');
  assert.equal(matched('PUT', '/nodes/n-1/files/a/b'), 'PUT /nodes/{id}/files/{path...} {"path":"a/b","id":"n-1"}');
});

test('where the fixed way leads nowhere the parameter’s is tried', () => {
  assert.equal(matched('POST', '/job/all/event'), 'POST /job/{id}/event {"id":"all"}');
});

test('the rest may be empty or hold anything, empty segments included', () => {
  assert.equal(matched('GET', '/nodes/n/a//b/'), 'GET /nodes/{id}/{path...} {"path":"a//b/","id":"n"}');
  assert.equal(matched('GET', '/nodes/n/'), 'GET /nodes/{id}/{path...} {"path":"","id":"n"}');
});

test('a path that no route has is none, and a parameter is never empty', () => {
  for (const path of [
    '/jobs',
    '/job/',
    '/job/j-1/',
    '/job/j-1/event/x',
    '/nodes',
    '/nodes/n',
    '/nodes//files',
    '//job',
    '',
  ])
    assert.equal(matched('GET', path), '', path);
});

test('a method that the path has not is told with those that it has, sorted; HEAD comes with GET', () => {
  assert.equal(matched('DELETE', '/job'), 'allow GET,HEAD,POST');
  assert.equal(matched('PATCH', '/job/j-1'), 'allow DELETE,GET,HEAD');
  assert.equal(matched('GET', '/only'), 'allow POST');
  assert.equal(matched('HEAD', '/only'), 'allow POST');
  assert.equal(matched('get', '/job'), 'allow GET,HEAD,POST', 'methods are case-sensitive');
  assert.equal(matched('OPTIONS', '/job'), 'allow GET,HEAD,POST');
  assert.equal(matched('constructor', '/job'), 'allow GET,HEAD,POST');
});

test('HEAD is answered by the route of GET', () => {
  assert.equal(matched('HEAD', '/job/j-1'), 'GET /job/{id} {"id":"j-1"}');
});

test('percent-encoding is taken off segment by segment: an encoded slash belongs to the name', () => {
  assert.equal(matched('GET', '/job/a%2Fb%20c%25'), 'GET /job/{id} {"id":"a/b c%"}');
  assert.equal(matched('GET', '/%6Aob'), 'GET /job {}');
  assert.equal(matched('GET', '/nodes/%C3%BC/x%20y/z'), 'GET /nodes/{id}/{path...} {"path":"x y/z","id":"ü"}');
  assert.equal(matched('GET', '/job%2Fj-1'), '', 'an encoded slash does not part segments');
});

test('a bad percent-encoding anywhere in the path is malformed', () => {
  for (const path of ['/%', '/job/%zz', '/job/%C3', '/job/%e0%a4', '/unknown/%2', '/job/%FF%FE'])
    assert.throws(
      () => ROUTER.match('GET', path),
      (error) => error instanceof CodedError && error.name === 'malformed',
      path,
    );
});

test('names that every object has are ordinary segments', () => {
  for (const name of ['__proto__', 'constructor', 'toString']) {
    assert.equal(matched('GET', `/${name}`), '');
    assert.equal(matched('GET', `/job/${name}`), `GET /job/{id} {"id":"${name}"}`);
  }
});

test('every route of the table is found by its own path, with its own parameters', () => {
  const router = new Router(ROUTES);
  for (const declared of ROUTES as readonly Route[]) {
    if (declared.followsLogName) continue;
    const names = [...declared.path.matchAll(/\{(\w+)(?:\.\.\.)?\}/g)].map(([, name]) => name as string);
    const path = declared.path.replace(/\{(\w+)\.\.\.\}/, 'x1/x2').replaceAll(/\{(\w+)\}/g, 'v-$1');
    const match = router.match(declared.method, path);
    assert.ok(match.type === 'route', `${declared.method} ${path}`);
    assert.equal(match.route.name, declared.name);
    assert.deepEqual(Object.keys(match.params).sort(), names.sort(), declared.path);
    for (const name of names) assert.ok([`v-${name}`, 'x1/x2'].includes(match.params[name] as string), declared.path);
  }
});
