/** The OpenAPI 3.1 document, made from the routing table and the schemas that validate. Made once, when first asked for. */
import { z } from 'zod';
import { ERROR_CODES } from '../../base/error-codes.ts';
import type { ErrorName } from '../../base/errors.ts';
import type { BodyKind, Route } from '../http/route.ts';
import { refusalsOf } from '../identity/access.ts';
import { ROUTES } from './routes.ts';

const MEDIA: Readonly<Record<BodyKind, string>> = {
  json: 'application/json',
  msgpack: 'application/msgpack',
  ndjson: 'application/x-ndjson',
  bytes: 'application/octet-stream',
};

let text: string | undefined;

export function openApiText(): string {
  text ??= JSON.stringify(openApi());
  return text;
}

export function openApi(): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of ROUTES as readonly Route[]) {
    const path = route.path.replace('...}', '}');
    paths[path] ??= {};
    (paths[path] as Record<string, object>)[route.method.toLowerCase()] = operationOf(route);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Cairn',
      version: '1',
      description: 'Management of batch workloads on cloud worker nodes with periodic checkpoint and restore.',
    },
    paths,
    components: {
      schemas: { Error: errorSchema() },
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
    },
  };
}

function operationOf(route: Route): object {
  return {
    operationId: route.name,
    summary: route.summary,
    ...(route.deprecated ? { deprecated: true } : {}),
    ...(route.access === 'anyone' ? { security: [] } : { security: [{ bearer: [] }] }),
    'x-access': route.access,
    parameters: parametersOf(route),
    ...(route.body ? { requestBody: bodyOf(route) } : {}),
    responses: responsesOf(route),
  };
}

function parametersOf(route: Route): object[] {
  const inPath = [...route.path.matchAll(/\{(\w+)(?:\.\.\.)?\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  const inQuery = Object.entries(route.query ?? {}).map(([name, description]) => ({
    name,
    in: 'query',
    description,
    schema: { type: 'string' },
  }));
  return [...inPath, ...inQuery];
}

function bodyOf({ body }: Route): object {
  const content = (body?.kinds ?? []).map((kind) => [
    MEDIA[kind],
    { schema: body?.schema ? schemaOf(body.schema, 'input') : {} },
  ]);
  return { required: !body?.optional, content: Object.fromEntries(content) };
}

function responsesOf(route: Route): object {
  const { answer } = route;
  const responses: Record<string, object> = {
    200: {
      description: answer.description,
      content: {
        [answer.contentType]: answer.schema ? { schema: schemaOf(answer.schema, 'output') } : {},
        ...Object.fromEntries((answer.alsoAs ?? []).map((contentType) => [contentType, {}])),
      },
    },
    ...(answer.hasEtag ? { 304: { description: 'As it was when it had the tag in If-None-Match' } } : {}),
  };
  for (const name of errorsOf(route)) {
    const { status, code, message } = ERROR_CODES[name];
    const known = responses[status] as { description: string } | undefined;
    const description = known ? `${known.description}; ${code} ${message}` : `${code} ${message}`;
    responses[status] = {
      description,
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
    };
  }
  return responses;
}

/** What any route may answer follows from what it is; the table names the rest. */
export function errorsOf(route: Route): ErrorName[] {
  const names: ErrorName[] = ['malformed', ...route.errors, 'tooManyRequests', 'overloaded', 'internal'];
  if (route.body)
    names.push('tooLarge', ...(route.body.kinds.includes('bytes') ? [] : (['unsupportedMediaType'] as const)));
  if (route.access !== 'anyone') names.push('tokenInvalid');
  names.push(...refusalsOf(route.access));
  if (['register', 'worker', 'scoped-or-worker'].includes(route.access)) names.push('certificateMissing');
  return [...new Set(names)];
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): object {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any', target: 'draft-2020-12' });
  return rest;
}

function errorSchema(): object {
  const codes = [...new Set(Object.values(ERROR_CODES).map(({ code }) => code))].sort((a, b) => a - b);
  return {
    type: 'object',
    required: ['statusCode', 'errorCode', 'message'],
    properties: {
      statusCode: { type: 'integer', description: 'Equals the HTTP status' },
      errorCode: { type: 'integer', enum: codes },
      message: { type: 'string' },
      fields: { type: 'object' },
    },
  };
}
