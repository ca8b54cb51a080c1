/** The query of `GET /api/v1/job`, checked. */
import { z } from 'zod';
import { queueNameSchema } from '../../protocol/id.ts';
import { JOB_STATUSES } from '../../protocol/job.ts';
import { LISTED_JOB_FIELDS } from '../../protocol/lists/job-columns.ts';
import {
  JOB_COUNT_KEYS,
  JOB_SORTS,
  type JobCountKey,
  type JobFilter,
  type JobQuery,
} from '../../protocol/lists/job-query.ts';
import { parameter, textParameter } from '../../protocol/lists/parameter.ts';
import type { RowStyle } from '../../protocol/lists/row-style.ts';
import { timestampSchema } from '../../protocol/node.ts';
import { areOfStatus, PHASES, type Phase, statusesOf } from '../../protocol/phase.ts';
import {
  CURSOR_PARAMETER,
  FORMAT_PARAMETER,
  fieldsParameter,
  ListParameters,
  limitParameter,
  sortParameter,
} from './parameters.ts';

const statusSchema = z.enum(JOB_STATUSES as [string, ...string[]]);

const FILTER_PARAMETERS = {
  queue: parameter('Only jobs of this queue', queueNameSchema, 'genomics'),
  status: parameter(
    `Only jobs of this status: one of ${JOB_STATUSES.join(', ')}. May be repeated`,
    z.union([statusSchema, z.array(statusSchema)]),
    'Running',
  ),
  phase: parameter(
    `Only jobs of this phase: one of ${PHASES.join(', ')}. May be repeated`,
    z.array(z.enum(PHASES)),
    'running',
  ),
  node: textParameter('Only jobs with this nodeOid: an instance id, or the id of a node', 'node-1'),
  createdAfter: parameter(
    'Only jobs created after this time, exclusive; RFC 3339',
    timestampSchema,
    '2026-05-01T00:00:00Z',
  ),
  createdBefore: parameter(
    'Only jobs created before this time, exclusive; RFC 3339',
    timestampSchema,
    '2027-01-01T00:00:00Z',
  ),
  updatedAfter: parameter(
    'Only jobs whose last event is after this time, exclusive; RFC 3339',
    timestampSchema,
    '2026-05-01T00:00:00Z',
  ),
  updatedBefore: parameter(
    'Only jobs whose last event is before this time, exclusive; RFC 3339',
    timestampSchema,
    '2027-01-01T00:00:00Z',
  ),
  q: textParameter(
    'Only jobs with this text in id, name, queue, container, batch job or volume ids, or in the instance id or id of their node, ignoring case',
    'job',
  ),
} as const;

export const JOB_COUNT_PARAMETERS = {
  by: parameter(
    `What the jobs are counted by: one of ${JOB_COUNT_KEYS.join(', ')}. Defaults to phase`,
    z.enum(JOB_COUNT_KEYS),
    'phase',
  ),
  ...FILTER_PARAMETERS,
} as const;

export const JOB_PARAMETERS = {
  limit: limitParameter('Jobs per page, 1 to 10,000; the Link header names the next page. Defaults to all jobs'),
  cursor: CURSOR_PARAMETER,
  sort: sortParameter(
    `One of ${JOB_SORTS.join(', ')}; a leading - sorts in descending order. Defaults to createdAt; ties are sorted by createdAt, then id`,
    JOB_SORTS,
  ),
  fields: fieldsParameter(LISTED_JOB_FIELDS),
  format: FORMAT_PARAMETER,
  ...FILTER_PARAMETERS,
} as const;

export interface JobListRequest {
  readonly query: JobQuery;
  readonly style: RowStyle;
  readonly limit: number | null;
  readonly after: Uint8Array | null;
  /** What a cursor of this list is sealed to. */
  readonly scope: string;
}

/** What the caller sees, and by which ids. */
export interface JobSight {
  /** The ids by which jobs may name a node. */
  readonly idsOfNode: (node: string) => readonly string[];
  /** Null: all. */
  readonly queues: readonly string[] | null;
}

/** Throws `invalid` with every fault. */
export function jobListRequestOf(
  sent: URLSearchParams,
  accept: string,
  { idsOfNode, queues }: JobSight,
): JobListRequest {
  const parameters = new ListParameters(sent, Object.keys(JOB_PARAMETERS), REPEATABLE);
  const { by, descending } = parameters.sort(JOB_SORTS, 'createdAt');
  const { filter, scope: filterScope } = filterOf(parameters, idsOfNode, queues);
  const scope = JSON.stringify(['job', by, descending, filterScope]);
  const after = parameters.position(scope);
  const style: RowStyle = { format: parameters.format(accept), fields: parameters.fields(LISTED_JOB_FIELDS) };
  const limit = parameters.limit();
  parameters.mustBeFaultless();
  return { query: { by, descending, filter }, style, limit, after, scope };
}

/** `GET /api/v1/job/count`: the filters of the list. Throws `invalid` with every fault. */
export function jobCountRequestOf(
  sent: URLSearchParams,
  { idsOfNode, queues }: JobSight,
): { readonly by: JobCountKey; readonly filter: JobFilter } {
  const parameters = new ListParameters(sent, Object.keys(JOB_COUNT_PARAMETERS), REPEATABLE);
  const by = parameters.oneOf('by', JOB_COUNT_KEYS) ?? 'phase';
  const { filter } = filterOf(parameters, idsOfNode, queues);
  parameters.mustBeFaultless();
  return { by, filter };
}

const REPEATABLE = ['status', 'phase'] as const;

function filterOf(
  parameters: ListParameters,
  idsOfNode: JobSight['idsOfNode'],
  seen: JobSight['queues'],
): { readonly filter: JobFilter; readonly scope: unknown } {
  const queue = parameters.checked('queue', (value) => queueNameSchema.safeParse(value).error?.issues[0]?.message);
  const statuses = parameters.someOf('status', JOB_STATUSES);
  const phases = parameters.someOf('phase', PHASES);
  const node = parameters.word('node');
  const times = timesOf(parameters);
  const q = parameters.search();
  const filter: JobFilter = {
    ...queueFilterOf(queue, seen),
    ...statusFilterOf(statuses, phases),
    ...(node === undefined ? {} : { nodes: idsOfNode(node) }),
    ...times,
    ...(q === undefined ? {} : { q }),
  };
  // Of the node what was asked, and not its ids: a node that is forgotten must not make a cursor invalid.
  const scope = [
    queue,
    statuses?.sort().join(),
    phases?.sort().join(),
    node,
    times.createdAfter?.toString(),
    times.createdBefore?.toString(),
    filter.q,
    ...UPDATES.flatMap((name) => (times[name] === undefined ? [] : `${name}=${times[name]}`)),
  ];
  return { filter, scope: scope.map((part) => part ?? null) };
}

const UPDATES = ['updatedAfter', 'updatedBefore'] as const;
const TIMES = ['createdAfter', 'createdBefore', ...UPDATES] as const;

function timesOf(parameters: ListParameters): Pick<JobFilter, (typeof TIMES)[number]> {
  const times = TIMES.map((name) => [name, parameters.time(name)] as const);
  return Object.fromEntries(times.filter(([, time]) => time !== undefined));
}

/** The queue that is asked for, if the caller sees it; without one all that the caller sees. */
function queueFilterOf(queue: string | undefined, seen: JobSight['queues']): Pick<JobFilter, 'queues'> {
  if (queue === undefined) return seen === null ? {} : { queues: seen };
  return { queues: seen === null || seen.includes(queue) ? [queue] : [] };
}

function statusFilterOf(
  asked: readonly string[] | undefined,
  phases: readonly Phase[] | undefined,
): Pick<JobFilter, 'statuses' | 'phases'> {
  if (!phases) return asked ? { statuses: asked } : {};
  const statuses = statusesOf(phases).filter((status) => !asked || asked.includes(status));
  return { statuses, ...(areOfStatus(phases) ? {} : { phases }) };
}
