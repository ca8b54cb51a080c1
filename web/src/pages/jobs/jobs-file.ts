/** A list of jobs as a file: its rows in its order, with the names of nodes that the list shows. */
import type { QueryClient } from '@tanstack/react-query';
import { csvRow } from '../../../../src/protocol/lists/csv.ts';
import { ask } from '../../api/request.ts';
import { isSortedHere, sortedHere } from '../../lists/job-orders.ts';
import { JOB_FILE_COLUMNS, type JobFilter, type JobRow, jobsPath } from '../../queries/jobs.ts';
import { nodeNamesQuery } from '../../queries/nodes.ts';
import { nextOf } from '../../queries/paging.ts';

/** The server's own limit of a page. */
const PAGE_MAX = 10_000;
const FIELDS = JOB_FILE_COLUMNS.split(',') as (keyof JobRow)[];

interface JobsFileOptions {
  readonly client: QueryClient;
  readonly filter: Partial<JobFilter>;
  /** What the browser chooses of what the server lists. */
  readonly isWanted: (job: JobRow) => boolean;
}

/** Jobs name their node by its id or by its instance: the name of the node is the same for both. */
export async function jobsFile({ client, filter, isWanted }: JobsFileOptions): Promise<Blob> {
  const { sort } = filter;
  // Who may not see nodes has the jobs all the same.
  const names = await client.fetchQuery(nodeNamesQuery).catch(() => new Map<string, { readonly id: string }>());
  const parts: string[] = [csvRow(['node', ...FIELDS])];
  const all: JobRow[] = [];
  let path: string | null = jobsPath(filter, { fields: JOB_FILE_COLUMNS, limit: PAGE_MAX });
  while (path !== null) {
    const page: Response = await ask(path);
    const rows = ((await page.json()) as JobRow[]).filter(isWanted);
    if (sort !== undefined && isSortedHere(sort)) all.push(...rows);
    else parts.push(rows.map(lineOf).join(''));
    path = nextOf(page);
  }
  if (sort !== undefined) parts.push(sortedHere(all, sort).map(lineOf).join(''));
  return new Blob(parts, { type: 'text/csv' });

  function lineOf(job: JobRow): string {
    return csvRow([names.get(job.nodeOid)?.id ?? '', ...FIELDS.map((field) => job[field])]);
  }
}
