import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { ERROR_CODES } from '../../../../src/base/error-codes.ts';
import { errorsOf, openApi, openApiText } from '../../../../src/gateway/api/openapi.ts';
import { pathParametersOf } from '../../../../src/gateway/api/openapi-parameters.ts';
import { ROUTES } from '../../../../src/gateway/api/routes.ts';
import type { Route } from '../../../../src/gateway/http/route.ts';
import { CONFIG_FIELDS } from '../../../../src/protocol/config/config-fields.ts';

interface Operation {
  readonly operationId: string;
  readonly security: readonly object[];
  readonly deprecated?: boolean;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly schema: object;
  }[];
  readonly requestBody?: { readonly required: boolean; readonly content: Readonly<Record<string, { schema: object }>> };
  readonly responses: Readonly<
    Record<string, { readonly description: string; readonly content: Readonly<Record<string, { schema?: object }>> }>
  >;
}

interface Component {
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly properties?: Readonly<Record<string, { readonly enum?: readonly unknown[] }>>;
  readonly items?: object;
  readonly anyOf?: readonly object[];
  readonly additionalProperties?: unknown;
}

interface Document {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Component>>;
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
  const operations = Object.values(DOCUMENT.paths)
    .flatMap((path) => Object.entries(path))
    .filter(([method]) => !method.startsWith('x-'))
    .map(([, operation]) => operation);
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
    const { parameters = [] } = operationOf(route);
    const inPath = [...route.path.matchAll(/\{(\w+)(?:\.\.\.)?\}/g)].map(([, name]) => name);
    const declared = parameters.filter((parameter) => parameter.in === 'path');
    assert.deepEqual(
      declared.map(({ name }) => name),
      inPath,
      route.path,
    );
    assert.ok(declared.every(({ required }) => required === true));
    const inQuery = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name);
    const ofCluster = route.method === 'GET' ? ['consistent'] : [];
    assert.deepEqual(inQuery, [...Object.keys(route.query ?? {}), ...ofCluster]);
  }
});

test('a body has a schema for each type that the route reads', () => {
  for (const route of ALL) {
    const { requestBody } = operationOf(route);
    assert.equal(requestBody !== undefined, route.body !== undefined, route.name);
    if (!requestBody || !route.body) continue;
    assert.equal(requestBody.required, !route.body.optional);
    const types = Object.keys(requestBody.content);
    assert.equal(types.length, route.body.kinds.length);
    assert.ok(
      Object.values(requestBody.content).every(({ schema }) => '$ref' in schema),
      route.name,
    );
  }
});

test('only calls that anyone may make are without security', () => {
  for (const route of ALL)
    assert.equal(operationOf(route).security.length === 0, route.access === 'anyone', route.name);
});

test('every error that a route may answer is under its status, with its code', () => {
  for (const route of ALL) {
    const { responses } = operationOf(route);
    assert.ok(responses[String(route.answer.status ?? 200)], route.name);
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
  assert.deepEqual(DOCUMENT.components.schemas['Error']?.properties?.['errorCode']?.enum, codes);
});

test('every reference leads to a component, and every component is referred to', () => {
  const text = openApiText().bytes.toString();
  const references = [...text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name);
  assert.equal(references.length, [...text.matchAll(/"\$ref"/g)].length, 'no reference leads elsewhere');
  assert.deepEqual([...new Set(references)].sort(), Object.keys(DOCUMENT.components.schemas).sort());
});

test('every component has a description and an example, and no object is described outside of one', () => {
  for (const [name, schema] of Object.entries(DOCUMENT.components.schemas)) {
    assert.ok(schema.description, `${name} has no description`);
    assert.ok(schema.examples && schema.examples.length > 0, `${name} has no example`);
    const { properties, ...rest } = schema;
    for (const inner of [...Object.values(properties ?? {}), rest.items, rest.anyOf, rest.additionalProperties])
      assert.ok(!JSON.stringify(inner ?? null).includes('"properties"'), `${name} holds an object that has no name`);
  }
  assert.ok(!JSON.stringify(DOCUMENT.paths).includes('"properties"'), 'an object in a path has no name');
});

test('every example is valid by the schema that it is an example of', () => {
  const schemas = (z.globalRegistry as unknown as { readonly _idmap: Map<string, z.ZodType> })._idmap;
  for (const [name, { examples }] of Object.entries(DOCUMENT.components.schemas)) {
    const schema = schemas.get(name);
    assert.ok(schema, name);
    for (const example of examples ?? [])
      assert.equal(schema.safeParse(example).error, undefined, `${name}: ${JSON.stringify(example)}`);
  }
});

test('every parameter has a type, a description and a valid example', () => {
  for (const route of ALL) {
    for (const [name, { schema, example, description }] of [
      ...pathParametersOf(route),
      ...Object.entries(route.query ?? {}),
    ]) {
      assert.ok(description, `${route.name}: ${name}`);
      const value = schema instanceof z.ZodArray ? [example] : example;
      assert.equal(schema.safeParse(value).error, undefined, `${route.name}: ${name}`);
    }
    for (const parameter of operationOf(route).parameters ?? [])
      assert.ok(
        /"(type|\$ref)":/.test(JSON.stringify(parameter.schema)),
        `${route.name}: ${parameter.name} has no type`,
      );
  }
  const offset = operationOf(ALL.find(({ name }) => name === 'appendNodeFile') as Route).parameters?.find(
    ({ name }) => name === 'offset',
  );
  assert.equal(offset?.required, true);
});

test('every setting is in the configuration, and every one that configKV takes is in its body', () => {
  const { schemas } = DOCUMENT.components;
  for (const { path, fixed } of CONFIG_FIELDS) {
    const groups = path.split('.').slice(0, -1);
    const group = `Configuration${groups.map((word) => word[0]?.toUpperCase() + word.slice(1)).join('')}`;
    const leaf = path.split('.').at(-1) as string;
    assert.ok(schemas[group]?.properties?.[leaf], `${group}.${leaf}`);
    assert.equal(schemas['ConfigurationTexts']?.properties?.[path] !== undefined, fixed === undefined, path);
  }
});

test('the WebSocket is described on its path', () => {
  const socket = DOCUMENT.paths['/api/v1/heartbeat']?.['x-websocket'] as unknown as {
    readonly subprotocols: object;
    readonly send: object;
    readonly receive: { readonly oneOf: readonly object[] };
  };
  assert.deepEqual(Object.keys(socket.subprotocols), ['cairn.json', 'cairn.msgpack']);
  assert.deepEqual(socket.send, { $ref: '#/components/schemas/HeartbeatFrame' });
  assert.equal(socket.receive.oneOf.length, 3);
});

test('the text is made once, is the document, and is bounded', () => {
  assert.deepEqual(JSON.parse(openApiText().bytes.toString()), JSON.parse(JSON.stringify(DOCUMENT)));
  assert.equal(openApiText(), openApiText());
  assert.ok(openApiText().bytes.length < 512 * 1024);
  assert.match(openApiText().etag, /^"[\w-]{20,}"$/);
});
