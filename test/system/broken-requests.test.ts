/**
 * Every route, driven from its own description with broken bodies, paths and queries: the answer is the contract's error
 * (or a plain success where the change did no harm), never a fault of ours, and the server is the same afterwards.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openApi } from '../../src/gateway/api/openapi.ts';
import { type Answer, type Api, until } from '../support/api.ts';
import fc from '../support/laws/fast-check.ts';
import { brokenOf, type JsonSchema, valueFor } from '../support/schema-arbitrary.ts';
import type { ServerProcess } from '../support/server-process.ts';
import { withServer } from '../support/with-server.ts';

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>> };
}

const RUNS = 40;
let server: ServerProcess;
let api: Api;

withServer({}, async (served) => {
  ({ server, api } = served);
  await api.put('/api/v1/node/n1', {});
  await api.post('/api/v1/job', {
    id: 'j1',
    queueName: 'q',
    events: [{ timestamp: '2026-11-01T10:00:00Z', eventType: 'Job-Running' }],
  });
});

const { paths } = openApi() as { paths: Record<string, Record<string, Operation>> };
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
);

/** Path segments and query values that somebody might send; printable, so that the client sends them as they are. */
const segment = fc.oneof(
  fc.constantFrom(
    'n1',
    'j1',
    'x',
    '..',
    '.',
    '%2e%2e',
    '%',
    '%zz',
    '%00',
    '%ff',
    'a%2fb',
    '%E2%82%AC',
    '-',
    "'",
    '"',
    '<script>',
    '*',
    '~',
    'x'.repeat(300),
    'system-total',
    'metricDef-runtime',
  ),
  fc.stringMatching(/^[!-~]{1,20}$/).map((text) => text.replace(/[/?#]/g, '')),
);

function mustBeContractual(answer: Answer, what: string): void {
  assert.ok(answer.status < 500, `${what} answered ${answer.status}: ${answer.text}`);
  if (answer.status < 400) return;
  assert.equal(answer.json?.statusCode, answer.status, `${what}: ${answer.text}`);
  assert.ok(Number.isInteger(answer.json.errorCode), what);
  assert.ok(typeof answer.json.message === 'string' && answer.json.message.length > 0, what);
}

function pathOf(path: string, operation: Operation, values: readonly string[], queryValue: string): string {
  let at = 0;
  const filled = path.replace(/\{\w+\}/g, () => values[at++ % values.length] as string);
  const query = (operation.parameters ?? [])
    .filter((parameter) => parameter.in === 'query')
    .map(({ name }) => `${name}=${queryValue}`);
  return query.length > 0 ? `${filled}?${query.join('&')}` : filled;
}

for (const { path, method, operation } of operations) {
  test(`${method} ${path} answers broken paths and queries in the contract’s form`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(segment, { minLength: 3, maxLength: 3 }), segment, async (values, queryValue) => {
        const target = pathOf(path, operation, values, queryValue);
        mustBeContractual(
          await api.request(method, target, { headers: { 'content-type': 'application/json' } }),
          `${method} ${target}`,
        );
      }),
      { numRuns: RUNS / 2 },
    );
  });

  const schema = operation.requestBody?.content['application/json']?.schema;
  if (!schema) continue;
  test(`${method} ${path} answers broken bodies in the contract’s form`, async () => {
    const broken = valueFor(schema).chain(brokenOf);
    await fc.assert(
      fc.asyncProperty(broken, fc.boolean(), async (body, cut) => {
        const text = JSON.stringify(body) ?? 'undefined';
        const sent = cut ? text.slice(0, Math.max(1, text.length - 3)) : text;
        const target = pathOf(path, operation, ['n1', 'x'], '');
        mustBeContractual(
          await api.request(method, target, { body: sent, headers: { 'content-type': 'application/json' } }),
          `${method} ${target} with ${sent.slice(0, 300)}`,
        );
      }),
      { numRuns: RUNS },
    );
  });
}

test('after all of it the configuration is what it was, and every failure is in the access log', async () => {
  const { json } = await api.get('/api/v1/config');
  assert.equal(json.addr, server.address);
  assert.equal(json.node.ttl, '5m0s');
  assert.equal(json.security.idp.enabled, false);
  await api.get('/api/v1/last-one');
  await until(
    () => server.logText('cairn-access.log'),
    (text) => text.includes('/api/v1/last-one'),
    'the access log',
  );
  assert.ok(!(await server.logText()).includes('"kind":"bug"'), await server.logText());
});
