/**
 * No client of the released API breaks: the document of today is compared with docs/reference/openapi.json, that of the last
 * release. A release writes its own document there; a break on purpose needs a decision and a new version of the path.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { openApi } from '../../../../src/gateway/api/openapi.ts';

interface Schema {
  readonly type?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, object>>;
  readonly required?: readonly string[];
}

interface Parameter {
  readonly name: string;
  readonly required?: boolean;
}

interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean };
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const RELEASED = JSON.parse(readFileSync('docs/reference/openapi.json', 'utf8')) as Document;
const TODAY = JSON.parse(JSON.stringify(openApi())) as Document;

function breaks(before: Document, after: Document): string[] {
  const found: string[] = [];
  for (const [path, operations] of Object.entries(before.paths))
    for (const [method, operation] of Object.entries(operations)) {
      const now = after.paths[path]?.[method];
      if (now) found.push(...operationBreaks(operation, now).map((what) => `${method} ${path} ${what}`));
      else found.push(`${method} ${path} is gone`);
    }
  const sent = namesFrom(after, 'requestBody');
  const answered = namesFrom(after, 'responses');
  for (const [name, schema] of Object.entries(before.components.schemas)) {
    const now = after.components.schemas[name];
    if (!now) found.push(`${name} is gone`);
    else found.push(...schemaBreaks(schema, now, sent.has(name), answered.has(name)).map((what) => `${name} ${what}`));
  }
  return found;
}

function operationBreaks(before: Operation, after: Operation): string[] {
  const old = new Map((before.parameters ?? []).map((parameter) => [parameter.name, parameter]));
  const now = new Map((after.parameters ?? []).map((parameter) => [parameter.name, parameter]));
  return [
    ...[...old.keys()].filter((name) => !now.has(name)).map((name) => `lost the parameter ${name}`),
    ...[...now.values()]
      .filter(({ name, required }) => required && !old.get(name)?.required)
      .map(({ name }) => `requires the parameter ${name}`),
    ...(after.requestBody?.required && !before.requestBody?.required ? ['requires a body'] : []),
  ];
}

function schemaBreaks(before: Schema, after: Schema, isSent: boolean, isAnswered: boolean): string[] {
  const properties = Object.keys(before.properties ?? {});
  const lost = properties.filter((name) => !after.properties?.[name]);
  const changed = properties.filter((name) => typeIn(before, name) !== typeIn(after, name) && !lost.includes(name));
  const demanded = (after.required ?? []).filter((name) => !before.required?.includes(name));
  const optional = (before.required ?? []).filter((name) => !after.required?.includes(name));
  return [
    ...(JSON.stringify(before.type) === JSON.stringify(after.type) ? [] : ['has another type']),
    ...lost.map((name) => `lost ${name}`),
    ...changed.map((name) => `has another type of ${name}`),
    ...(isSent ? demanded.map((name) => `requires ${name}`) : []),
    ...(isAnswered ? optional.map((name) => `may lack ${name}`) : []),
  ];
}

function typeIn(schema: Schema, name: string): string {
  const { type, $ref } = (schema.properties?.[name] ?? {}) as { readonly type?: unknown; readonly $ref?: string };
  return JSON.stringify($ref ?? type ?? null);
}

/** Components that requests, or answers, are made of. */
function namesFrom({ paths, components }: Document, part: 'requestBody' | 'responses'): ReadonlySet<string> {
  const names = new Set<string>();
  const parts = Object.values(paths).flatMap((path) =>
    Object.values(path).map((operation) => operation[part as never]),
  );
  const pending: unknown[] = [parts];
  while (pending.length > 0) {
    const text = JSON.stringify(pending.pop() ?? null);
    for (const [, name = ''] of text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (names.has(name)) continue;
      names.add(name);
      pending.push(components.schemas[name]);
    }
  }
  return names;
}

test('today’s document breaks no client of the last release', () => {
  assert.deepEqual(breaks(RELEASED, TODAY), []);
});

test('each kind of break is found', () => {
  const planted = structuredClone(TODAY) as unknown as {
    paths: Record<string, Record<string, { parameters: { name: string; required?: boolean }[] }>>;
    components: { schemas: Record<string, { required: string[]; properties: Record<string, { type: string }> }> };
  };
  delete planted.paths['/livez'];
  const jobs = planted.paths['/api/v1/job']?.['get'];
  const { Job, JobUpdate, WorkerNode } = planted.components.schemas;
  assert.ok(jobs && Job && JobUpdate && WorkerNode);
  jobs.parameters = jobs.parameters.filter(({ name }) => name !== 'cursor');
  for (const parameter of jobs.parameters) if (parameter.name === 'limit') parameter.required = true;
  Job.required = Job.required.filter((name) => name !== 'status');
  JobUpdate.required.push('name');
  delete WorkerNode.properties['cloud'];
  WorkerNode.properties['cores'] = { type: 'string' };
  assert.deepEqual(breaks(RELEASED, planted as unknown as Document).sort(), [
    'Job may lack status',
    'JobUpdate requires name',
    'WorkerNode has another type of cores',
    'WorkerNode lost cloud',
    'get /api/v1/job lost the parameter cursor',
    'get /api/v1/job requires the parameter limit',
    'get /livez is gone',
  ]);
});
