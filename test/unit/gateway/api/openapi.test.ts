import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ERROR_CODES } from '../../../../src/base/error-codes.ts';
import { errorsOf, openApi, openApiText } from '../../../../src/gateway/api/openapi.ts';
import { ROUTES } from '../../../../src/gateway/api/routes.ts';
import type { Route } from '../../../../src/gateway/http/route.ts';

interface Operation {
  readonly operationId: string;
  readonly security: readonly object[];
  readonly deprecated?: boolean;
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly required?: boolean }[];
  readonly requestBody?: { readonly required: boolean; readonly content: Readonly<Record<string, { schema: object }>> };
  readonly responses: Readonly<
    Record<string, { readonly description: string; readonly content: Readonly<Record<string, { schema?: object }>> }>
  >;
}

interface Document {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: { readonly Error: { readonly properties: { readonly errorCode: { readonly enum: number[] } } } };
  };
}

const DOCUMENT = openApi() as Document;
const ALL = ROUTES as readonly Route[];

function operationOf(route: Route): Operation {
  const operation = DOCUMENT.paths[route.path.replace('...}', '}')]?.[route.method.toLowerCase()];
  assert.ok(operation, `${route.method} ${route.path} is not in the document`);
  return operation;
}

test('the document holds every route of the table, and no other', () => {
  assert.equal(DOCUMENT.openapi, '3.1.0');
  const operations = Object.values(DOCUMENT.paths).flatMap((path) => Object.values(path));
  assert.equal(operations.length, ALL.length);
  assert.deepEqual(
    new Set(operations.map(({ operationId }) => operationId)).size,
    ALL.length,
    'operation ids are unique',
  );
  for (const route of ALL) assert.equal(operationOf(route).operationId, route.name);
});

test('the 16 endpoints of the interface are in it', () => {
  const endpoints: readonly (readonly [string, string])[] = [
    ['get', '/api/v1/security/idp'],
    ['put', '/api/v1/security/idp'],
    ['delete', '/api/v1/security/idp'],
    ['get', '/api/v1/config'],
    ['put', '/api/v1/configKV'],
    ['get', '/api/v1/metrics/summary'],
    ['get', '/api/v1/metric'],
    ['get', '/api/v1/metricValue/{objectId}/{definitionId}'],
    ['get', '/api/v1/log/config'],
    ['put', '/api/v1/log/config'],
    ['get', '/{log_name}.log'],
    ['get', '/api/v1/node'],
    ['get', '/api/v1/nodes/{id}/files'],
    ['get', '/nodes/{id}/{path}'],
    ['get', '/api/v1/job'],
  ];
  for (const [method, path] of endpoints) assert.ok(DOCUMENT.paths[path]?.[method], `${method} ${path}`);
});

test('every parameter in a path is declared as required, and every query parameter is declared', () => {
  for (const route of ALL) {
    const { parameters } = operationOf(route);
    const inPath = [...route.path.matchAll(/\{(\w+)(?:\.\.\.)?\}/g)].map(([, name]) => name);
    const declared = parameters.filter((parameter) => parameter.in === 'path');
    assert.deepEqual(
      declared.map(({ name }) => name),
      inPath,
      route.path,
    );
    assert.ok(declared.every(({ required }) => required === true));
    const inQuery = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name);
    assert.deepEqual(inQuery, Object.keys(route.query ?? {}));
  }
});

test('a body has a schema for each type that the route reads, and bytes have none', () => {
  for (const route of ALL) {
    const { requestBody } = operationOf(route);
    assert.equal(requestBody !== undefined, route.body !== undefined, route.name);
    if (!requestBody || !route.body) continue;
    assert.equal(requestBody.required, !route.body.optional);
    const types = Object.keys(requestBody.content);
    assert.equal(types.length, route.body.kinds.length);
    if (route.body.schema)
      assert.ok(
        Object.values(requestBody.content).every(({ schema }) => Object.keys(schema).length > 0),
        route.name,
      );
    else assert.deepEqual(types, ['application/octet-stream'], route.name);
  }
});

test('only calls that anyone may make are without security', () => {
  for (const route of ALL)
    assert.equal(operationOf(route).security.length === 0, route.access === 'anyone', route.name);
});

test('every error that a route may answer is under its status, with its code', () => {
  for (const route of ALL) {
    const { responses } = operationOf(route);
    assert.ok(responses['200'], route.name);
    for (const name of errorsOf(route)) {
      const { status, code, message } = ERROR_CODES[name];
      assert.ok(responses[status]?.description.includes(`${code} ${message}`), `${route.name}: ${name}`);
    }
  }
});

test('what any route may answer follows from what it is', () => {
  const named = (name: string): readonly string[] => errorsOf(ALL.find((route) => route.name === name) as Route);
  assert.deepEqual(
    named('livez').filter((name) => name.startsWith('token')),
    [],
  );
  assert.ok(named('putConfigKv').includes('notPrivileged') && named('putConfigKv').includes('unsupportedMediaType'));
  assert.ok(named('appendNodeFile').includes('tooLarge') && !named('appendNodeFile').includes('unsupportedMediaType'));
  assert.ok(named('postHeartbeat').includes('nodeTokenMismatch') && !named('getIdp').includes('notPrivileged'));
  for (const route of ALL) assert.equal(new Set(errorsOf(route)).size, errorsOf(route).length, route.name);
});

test('the error schema holds exactly the codes of the table', () => {
  const codes = [...new Set(Object.values(ERROR_CODES).map(({ code }) => code))].sort((a, b) => a - b);
  assert.deepEqual(DOCUMENT.components.schemas.Error.properties.errorCode.enum, codes);
});

test('every reference in the document leads somewhere', () => {
  const references = [...openApiText().matchAll(/"\$ref":"([^"]+)"/g)].map(([, to]) => to as string);
  assert.ok(references.length > 0);
  for (const to of new Set(references)) assert.equal(to, '#/components/schemas/Error');
});

test('the text is made once and is the document', () => {
  assert.deepEqual(JSON.parse(openApiText()), JSON.parse(JSON.stringify(DOCUMENT)));
  assert.equal(openApiText(), openApiText());
});
