/** The query of `GET /api/v1/job`, checked. */
import { queueNameSchema } from '../../protocol/id.ts';
import { JOB_STATUSES } from '../../protocol/job.ts';
import { JOB_FIELDS, JOB_SORTS, type JobFilter, type JobQuery } from '../../protocol/job-query.ts';
import type { RowStyle } from '../../protocol/row-style.ts';
import { type EpochNs, tryParseTimestamp } from '../../protocol/timestamp.ts';
import { ListParameters } from './parameters.ts';

export const JOB_PARAMETERS = {
  limit: 'Jobs per page, 1 to 10,000; the Link header names the next page. Defaults to all jobs',
  cursor: 'Where the page begins, from the Link header of the previous page',
  sort: `One of ${JOB_SORTS.join(', ')}; a leading - sorts in descending order. Defaults to createdAt; ties are sorted by createdAt, then id`,
  fields: `Only these fields, separated by commas: some of ${JOB_FIELDS.join(', ')}`,
  format: 'json, ndjson or csv; overrides the Accept header',
  queue: 'Only jobs of this queue',
  status: `Only jobs of this status: one of ${JOB_STATUSES.join(', ')}`,
  node: 'Only jobs with this nodeOid: an instance id, or the id of a node',
  createdAfter: 'Only jobs created after this time, exclusive; RFC 3339',
  createdBefore: 'Only jobs created before this time, exclusive; RFC 3339',
  q: 'Only jobs with this text in id, name, queue, node, container, batch job or volume ids, ignoring case',
} as const;

export interface JobListRequest {
  readonly query: JobQuery;
  readonly style: RowStyle;
  readonly limit: number | null;
  readonly after: Uint8Array | null;
  /** What a cursor of this list is sealed to. */
  readonly scope: string;
}

/** `idsOfNode` gives the ids by which jobs may name a node. Throws `invalid` with every fault. */
export function jobListRequestOf(
  sent: URLSearchParams,
  accept: string,
  idsOfNode: (node: string) => readonly string[],
): JobListRequest {
  const parameters = new ListParameters(sent, Object.keys(JOB_PARAMETERS));
  const { by, descending } = parameters.sort(JOB_SORTS, 'createdAt');
  const { filter, scope: filterScope } = filterOf(parameters, idsOfNode);
  const scope = JSON.stringify(['job', by, descending, filterScope]);
  const after = parameters.position(scope);
  const style: RowStyle = { format: parameters.format(accept), fields: parameters.fields(JOB_FIELDS) };
  const limit = parameters.limit();
  parameters.mustBeFaultless();
  return { query: { by, descending, filter }, style, limit, after, scope };
}

function filterOf(
  parameters: ListParameters,
  idsOfNode: (node: string) => readonly string[],
): { readonly filter: JobFilter; readonly scope: unknown } {
  const queue = parameters.checked('queue', (value) => queueNameSchema.safeParse(value).error?.issues[0]?.message);
  const status = parameters.oneOf('status', JOB_STATUSES);
  const node = parameters.word('node');
  const createdAfter = timeOf(parameters, 'createdAfter');
  const createdBefore = timeOf(parameters, 'createdBefore');
  const q = parameters.search();
  const filter: JobFilter = {
    ...(queue === undefined ? {} : { queue }),
    ...(status === undefined ? {} : { status }),
    ...(node === undefined ? {} : { nodes: idsOfNode(node) }),
    ...(createdAfter === undefined ? {} : { createdAfter }),
    ...(createdBefore === undefined ? {} : { createdBefore }),
    ...(q === undefined ? {} : { q }),
  };
  // Of the node what was asked, and not its ids: a node that is forgotten must not make a cursor invalid.
  const scope = [queue, status, node, createdAfter?.toString(), createdBefore?.toString(), filter.q];
  return { filter, scope: scope.map((part) => part ?? null) };
}

function timeOf(parameters: ListParameters, name: string): EpochNs | undefined {
  const text = parameters.checked(name, (value) =>
    tryParseTimestamp(value) === undefined ? 'is not a timestamp: want RFC 3339 in UTC' : undefined,
  );
  return text === undefined ? undefined : tryParseTimestamp(text);
}
