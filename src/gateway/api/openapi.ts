/** The OpenAPI 3.1 document, made from the routing table and its schemas. Made once, when first asked for. */
import { createHash } from 'node:crypto';
import type { z } from 'zod';
import { ERROR_CODES } from '../../base/error-codes.ts';
import type { ErrorName } from '../../base/errors.ts';
import type { BodyKind, Route } from '../http/route.ts';
import { refusalsOf } from '../identity/access.ts';
import { parametersOf } from './openapi-parameters.ts';
import { componentsOf, errorSchema, referenceTo } from './openapi-schemas.ts';
import { TAGS, tagOf } from './openapi-tags.ts';
import { HEARTBEAT_PATH, heartbeatWebSocket } from './openapi-websocket.ts';
import { csvSchema, ndjsonSchema } from './routes/forms.ts';
import { ROUTES } from './routes.ts';

const MEDIA: Readonly<Record<BodyKind, string>> = {
  json: 'application/json',
  msgpack: 'application/msgpack',
  ndjson: 'application/x-ndjson',
  bytes: 'application/octet-stream',
};

/** Schemas of what a list is answered as, if not as its own schema says. */
const TEXT_FORMS: Readonly<Record<string, z.ZodType>> = {
  'application/x-ndjson': ndjsonSchema,
  'text/csv': csvSchema,
};

export interface OpenApiText {
  readonly bytes: Buffer;
  readonly etag: string;
}

let made: OpenApiText | undefined;

export function openApiText(): OpenApiText {
  if (!made) {
    const bytes = Buffer.from(JSON.stringify(openApi()));
    made = { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 27)}"` };
  }
  return made;
}

export function openApi(): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of ROUTES as readonly Route[]) {
    const path = route.path.replace('...}', '}');
    paths[path] ??= {};
    (paths[path] as Record<string, object>)[route.method.toLowerCase()] = operationOf(route);
  }
  (paths[HEARTBEAT_PATH] as Record<string, object>)['x-websocket'] = heartbeatWebSocket();
  return {
    openapi: '3.1.0',
    info: {
      title: 'Cairn',
      version: '1',
      summary: 'Management of batch workloads on cloud worker nodes with periodic checkpoint and restore',
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The server that answers this document' }],
    tags: TAGS,
    paths,
    components: {
      schemas: componentsOf(paths),
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description:
            'While the identity provider is on: an access token of the provider, a service token, or the token of a node. While it is off, no token is needed.',
        },
      },
    },
  };
}

const DESCRIPTION = `Every failure is answered with the schema \`Error\`. What is acknowledged with 2xx is durable.

Lists answer everything when called without \`limit\`. With \`limit\`, the header \`Link: <…>; rel="next"\` names the next page.

Answers may gain fields; ignore those that you do not know.`;

function operationOf(route: Route): object {
  const parameters = parametersOf(route);
  return {
    operationId: route.name,
    summary: route.summary,
    tags: [tagOf(route)],
    ...(route.deprecated ? { deprecated: true } : {}),
    ...(route.access === 'anyone' ? { security: [] } : { security: [{ bearer: [] }] }),
    'x-access': route.access,
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(route.body ? { requestBody: bodyOf(route) } : {}),
    responses: responsesOf(route),
  };
}

function bodyOf({ body }: Route): object {
  const schema = body?.schema ? referenceTo(body.schema) : {};
  const content = (body?.kinds ?? []).map((kind) => [
    MEDIA[kind],
    { schema: kind === 'ndjson' ? referenceTo(ndjsonSchema) : schema },
  ]);
  return { required: !body?.optional, content: Object.fromEntries(content) };
}

function responsesOf(route: Route): object {
  const { answer } = route;
  const schema = answer.schema ? referenceTo(answer.schema) : {};
  const content = {
    [answer.contentType]: { schema },
    ...Object.fromEntries(
      (answer.alsoAs ?? []).map((type) => {
        const form = TEXT_FORMS[type];
        return [type, { schema: form ? referenceTo(form) : schema }];
      }),
    ),
  };
  const headers = responseHeadersOf(route);
  const responses: Record<string, object> = {
    [answer.status ?? 200]: { description: answer.description, ...(headers ? { headers } : {}), content },
    ...(route.errors.includes('rangeNotSatisfiable')
      ? { 206: { description: 'The bytes that Range asks for', content } }
      : {}),
    ...(answer.hasEtag ? { 304: { description: 'Unchanged since the answer with the tag in If-None-Match' } } : {}),
  };
  for (const name of errorsOf(route)) {
    const { status, code, message, retry } = ERROR_CODES[name];
    const known = responses[status] as { description: string } | undefined;
    responses[status] = {
      description: known ? `${known.description}; ${code} ${message}` : `${code} ${message}`,
      ...(retry === 'later' ? { headers: { 'Retry-After': RETRY_AFTER } } : {}),
      content: { 'application/json': { schema: referenceTo(errorSchema) } },
    };
  }
  return responses;
}

const RETRY_AFTER = { description: 'Seconds to wait before trying again', schema: { type: 'integer' } };
const ETAG = { description: 'Tag for If-None-Match', schema: { type: 'string' } };
const LINK = { description: 'The next page, as <address>; rel="next"; absent on the last', schema: { type: 'string' } };

function responseHeadersOf({ answer, query }: Route): object | null {
  const headers = {
    ...(answer.hasEtag ? { ETag: ETAG } : {}),
    ...(query?.['cursor'] || query?.['before'] ? { Link: LINK } : {}),
  };
  return Object.keys(headers).length > 0 ? headers : null;
}

/** What any route may answer follows from what it is; the table names the rest. */
export function errorsOf(route: Route): ErrorName[] {
  const names: ErrorName[] = ['malformed', ...route.errors, 'tooManyRequests', 'overloaded', 'notLeader', 'internal'];
  if (route.body)
    names.push('tooLarge', ...(route.body.kinds.includes('bytes') ? [] : (['unsupportedMediaType'] as const)));
  if (route.access !== 'anyone') names.push('tokenInvalid');
  names.push(...refusalsOf(route.access));
  if (['register', 'worker', 'scoped-or-worker'].includes(route.access)) names.push('certificateMissing');
  return [...new Set(names)];
}
