/** A list of jobs as a file: its rows in its order, with the names of nodes that the list shows. */
import type { QueryClient } from '@tanstack/react-query';
import { csvRow } from '../../../../src/protocol/lists/csv.ts';
import { ask } from '../../api/request.ts';
import { durationMs, isSortedWhole, type Moments, sortedHere } from '../../lists/job-orders.ts';
import {
  JOB_FILE_COLUMNS,
  type JobFilter,
  type JobRow,
  jobRowsOf,
  jobsPath,
  SORTED_ROWS_MAX,
} from '../../queries/jobs.ts';
import { momentsOf, type NamedNode, nodeNamesQuery } from '../../queries/nodes.ts';
import { nextOf } from '../../queries/paging.ts';

type NamedJob = JobRow & { readonly node: string };

/** Names of the API where it has the same; figures of time are whole seconds. */
const COLUMNS: readonly (readonly [string, (job: NamedJob, moments: Moments) => unknown])[] = [
  ['id', ({ id }) => id],
  ['name', ({ name }) => name],
  ['queueName', ({ queueName }) => queueName],
  ['phase', ({ phase }) => phase],
  ['status', ({ status }) => status],
  ['node', ({ node }) => node],
  ['nodeOid', ({ nodeOid }) => nodeOid],
  ['restores', ({ spotProtCount }) => spotProtCount],
  ['createdAt', ({ createdAt }) => createdAt],
  ['updatedAt', ({ updatedAt }) => updatedAt],
  ['durationSeconds', (job, moments) => Math.round(durationMs(job, moments) / 1_000)],
  ['unsavedSeconds', ({ unsavedSeconds }) => unsavedSeconds && Math.round(unsavedSeconds)],
  ['lastCheckpointAt', ({ lastCheckpointAt }) => lastCheckpointAt],
  ['statusSince', ({ statusSince }) => statusSince],
  ['lastEventDetail', ({ lastEventDetail }) => lastEventDetail],
];

/** `jobs-failed-night-2026-11-29.csv`: what the list is of, and the day. `day`: as the reader has it. */
export function jobsFileName({ phase, status, queue }: Partial<JobFilter>, day: string): string {
  const parts = ['jobs', phase, status, queue, day].filter((part) => part !== undefined);
  return `${parts.join('-').replaceAll(/[^\p{L}\p{N}.-]+/gu, '-')}.csv`;
}

interface JobsFileOptions {
  readonly client: QueryClient;
  readonly filter: Partial<JobFilter>;
  /** What the browser chooses of what the server lists, of a page of it. */
  readonly wanted: (jobs: readonly JobRow[]) => readonly JobRow[];
}

/**
 * Jobs name their node by its id or by its instance: the name of the node is the same for both. Of more jobs than the browser sorts the
 * file has all, in the order of the server: what is kept is their text.
 */
export async function jobsFile({ client, filter, wanted }: JobsFileOptions): Promise<Blob> {
  const { sort } = filter;
  // Who may not see nodes has the jobs all the same.
  const names = await client.fetchQuery(nodeNamesQuery).catch(() => new Map<string, NamedNode>());
  const moments = momentsOf(names);
  const parts: string[] = [csvRow(COLUMNS.map(([heading]) => heading))];
  let path: string | null = jobsPath(filter, { fields: JOB_FILE_COLUMNS, limit: SORTED_ROWS_MAX });
  while (path !== null) {
    const page: Response = await ask(path);
    const rows = wanted(await jobRowsOf(page));
    path = nextOf(page);
    const isWhole = path === null && parts.length === 1;
    const ordered = isWhole && isSortedWhole(sort) ? sortedHere(rows, sort, moments) : rows;
    parts.push(ordered.map(lineOf).join(''));
  }
  return new Blob(parts, { type: 'text/csv' });

  function lineOf(job: JobRow): string {
    const named = { ...job, node: names.get(job.nodeOid)?.id ?? '' };
    return csvRow(COLUMNS.map(([, cellOf]) => cellOf(named, moments)));
  }
}
