/** The examples of the OpenAPI document are sent to a real server, in an order in which each finds what it needs. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { pathParametersOf } from '../../src/gateway/api/openapi-parameters.ts';
import { ROUTES } from '../../src/gateway/api/routes.ts';
import type { Route } from '../../src/gateway/http/route.ts';
import type { ServerProcess } from '../support/server-process.ts';
import { withServer } from '../support/with-server.ts';

let server: ServerProcess;

withServer({}, (served) => {
  server = served.server;
});

/** What the other calls are about comes first, what removes it last. */
const ORDER: readonly string[] = ['registerNode', 'postJobs', 'putMetric', 'appendNodeFile'];
/** They need an identity provider, a package, an output or a running job that is not made here, or the name of the log. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  'enableIdp',
  'disableIdp',
  'makeServiceToken',
  'revokeServiceToken',
  'getAgentPackage',
  'checkpointJob',
  'getJobOutput',
  'getServerLog',
]);

function place({ name, method }: Route): number {
  const first = ORDER.indexOf(name);
  if (first >= 0) return first;
  return method === 'DELETE' ? 200 : 100;
}

async function call(route: Route): Promise<Response> {
  let path = route.path;
  for (const [name, { example }] of pathParametersOf(route))
    path = path.replace(new RegExp(`\\{${name}(\\.\\.\\.)?\\}`), String(example));
  const query = new URLSearchParams();
  for (const [name, { example, isRequired }] of Object.entries(route.query ?? {}))
    if (isRequired) query.set(name, String(example));
  if (route.name === 'getEvents') query.set('follow', 'false');
  const documented = route.body?.schema ? z.globalRegistry.get(route.body.schema) : undefined;
  const [example] = (documented?.['examples'] ?? []) as unknown[];
  const isBytes = route.body?.kinds.includes('bytes');
  return fetch(`${server.address}${path}?${query}`, {
    method: route.method,
    ...(route.body
      ? {
          body: isBytes ? String(example) : JSON.stringify(example),
          headers: { 'content-type': isBytes ? 'application/octet-stream' : 'application/json' },
        }
      : {}),
  });
}

test('every example is taken, and every answer is as its schema says', async () => {
  const routes = (ROUTES as readonly Route[]).filter(
    ({ name, path }) => !LEFT_OUT.has(name) && !path.includes('/webhook/{id}'),
  );
  for (const route of [...routes].sort((a, b) => place(a) - place(b))) {
    const response = await call(route);
    const text = await response.text();
    assert.ok(
      response.status >= 200 && response.status < 300,
      `${route.name}: ${response.status} ${text.slice(0, 300)}`,
    );
    const { contentType, schema } = route.answer;
    if (contentType !== 'application/json' || !schema) continue;
    assert.equal(schema.safeParse(JSON.parse(text)).error, undefined, `${route.name}: ${text.slice(0, 300)}`);
  }
});
