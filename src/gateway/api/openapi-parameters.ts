/** The parameters of the OpenAPI document. */
import { z } from 'zod';
import { idSchema, objectIdSchema } from '../../protocol/id.ts';
import { flagParameter, type Parameter, parameter } from '../../protocol/lists/parameter.ts';
import type { Route } from '../http/route.ts';
import { parameterSchema } from './openapi-schemas.ts';

const NODE_ID = parameter('Id of the node', idSchema, 'node-1');

/** Parameters of paths, by the segment before them and their name. A route may have its own. */
const IN_PATH: Readonly<Record<string, Parameter>> = {
  'job/id': parameter('Id of the job', idSchema, 'job-1'),
  'node/id': NODE_ID,
  'nodes/id': NODE_ID,
  'nodeToken/id': NODE_ID,
  'serviceToken/id': parameter('Id of the service token', z.string(), 'st-1'),
  'webhook/id': parameter('Id of the webhook', idSchema, 'on-call'),
  'metric/id': parameter(
    'Id of the metric definition, with or without the prefix metricDef-',
    idSchema,
    'metricDef-gpu',
  ),
  'metricValue/objectId': parameter('Id of the object', objectIdSchema, 'system-total'),
  '{objectId}/definitionId': parameter('Id of the metric definition', idSchema, 'metricDef-jobSubmitted'),
  'output/output': parameter('Standard output or standard error', z.enum(['stdout', 'stderr']), 'stdout'),
  '{id}/path': parameter('Path of the file on the node, without the leading slash', z.string(), 'var/log/messages'),
  'files/path': parameter('Path of the file on the node, without the leading slash', z.string(), 'var/log/messages'),
  '/log_name': parameter(
    'Name of the configured log file without its ending; -access after it for the access log',
    z.string(),
    'cairn',
  ),
};

export function pathParametersOf(route: Route): readonly (readonly [name: string, parameter: Parameter])[] {
  const segments = route.path.split('/');
  return segments.flatMap((segment, i) => {
    const name = /^\{(\w+)(?:\.\.\.)?\}/.exec(segment)?.[1];
    if (name === undefined) return [];
    const known = route.params?.[name] ?? IN_PATH[`${segments[i - 1]}/${name}`];
    if (!known) throw new Error(`${route.name}: the parameter ${name} of the path is not described`);
    return [[name, known] as const];
  });
}

export function parametersOf(route: Route): object[] {
  const query = Object.entries(route.query ?? {});
  return [
    ...pathParametersOf(route).map(([name, known]) => described(name, 'path', { ...known, isRequired: true })),
    ...query.map(([name, known]) => described(name, 'query', known)),
    ...(route.method === 'GET' ? [described('consistent', 'query', CONSISTENT)] : []),
    ...headersOf(route).map(([name, known]) => described(name, 'header', known)),
  ];
}

function headersOf(route: Route): (readonly [string, Parameter])[] {
  const { answer, name } = route;
  return [
    ...(answer.hasEtag ? [['If-None-Match', IF_NONE_MATCH] as const] : []),
    ...(route.errors.includes('rangeNotSatisfiable') ? [['Range', RANGE] as const] : []),
    ...(name === 'getEvents' ? [['Last-Event-ID', LAST_EVENT_ID] as const] : []),
  ];
}

const IF_NONE_MATCH = parameter(
  'ETag of the answer that the caller has; 304 if it is still current',
  z.string(),
  '"v1"',
);
const CONSISTENT = flagParameter(
  'true: the answer of any server of a cluster holds everything that was acknowledged before the question',
);
const RANGE = parameter('Only these bytes; answered with 206', z.string(), 'bytes=0-99');
const LAST_EVENT_ID = parameter('Only events after this position; overrides lastEventId', z.string(), '0');

function described(name: string, place: string, { description, schema, example, isRequired }: Parameter): object {
  return {
    name,
    in: place,
    description,
    ...(isRequired ? { required: true } : {}),
    schema: parameterSchema(schema),
    example: schema instanceof z.ZodArray ? [example] : example,
  };
}
