/** While the server is away, a shorter list is a part of a longer one that is here, and a row tells of what it names. */
import {
  type InfiniteData,
  type QueryClient,
  type UseQueryResult,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import type { WorkerNode } from '../../../src/protocol/node.ts';
import { useIsAway } from '../api/reachability.ts';
import { isSortedHere, isSortedWhole, sortedHere } from '../lists/job-orders.ts';
import { type FoundJob, foundJobsQuery, isOfFilter, type JobFilter, type JobRow, jobsQuery } from './jobs.ts';
import {
  type FoundNode,
  foundNodesQuery,
  momentsOf,
  type NodeFilter,
  nodeNamesQuery,
  nodeQuery,
  nodesQuery,
} from './nodes.ts';
import type { Bounded, Page } from './paging.ts';

type JobPages = InfiniteData<Page<JobRow>, string>;

/**
 * The list, or what the jobs of all phases tell of it. `isKept`: it is that, and without what only the list itself has. `isPart`: not
 * all jobs of all phases are here, so there may be more.
 */
export function useJobPages(filter: Partial<JobFilter>) {
  const client = useQueryClient();
  const query = useInfiniteQuery(jobsQuery(filter));
  const kept = isMissed(query) ? keptJobs(client, filter) : undefined;
  if (kept === undefined) return { ...query, isKept: false, isPart: false };
  const { rows, isPart } = kept;
  const data: JobPages = { pages: [{ rows, next: null }], pageParams: [''] };
  return { ...query, data, hasNextPage: false, isKept: true, isPart };
}

/** The list, or what the nodes in service, or those of all states, tell of it. */
export function useNodes(filter: Partial<NodeFilter>) {
  const client = useQueryClient();
  const query = useQuery(nodesQuery(filter));
  const data = isMissed(query) ? keptNodes(client, filter) : query.data;
  return { ...query, data };
}

/** The row of a job in any list that is here; undefined while the server answers. */
export function useKeptJob(id: string, query: Missable): JobRow | undefined {
  const client = useQueryClient();
  if (!isMissed(query)) return undefined;
  return newestOf(
    keptJobRows(client).filter((row) => row.id === id),
    ({ updatedAt }) => updatedAt,
  );
}

function keptJobRows(client: QueryClient): readonly JobRow[] {
  const pages = client.getQueriesData<JobPages>({ queryKey: ['job-pages'] });
  const lists = client.getQueriesData<{ readonly rows?: readonly JobRow[] }>({ queryKey: ['jobs', 'of-node'] });
  return [
    ...pages.flatMap(([, data]) => data?.pages.flatMap((page) => page.rows) ?? []),
    ...lists.flatMap(([, data]) => data?.rows ?? []),
  ];
}

/** Of several lists, each has the row as it was read; its last sign of life tells which one was read last. */
function newestOf<T>(rows: readonly T[], timeOf: (row: T) => string): T | undefined {
  return newestFirst(rows, timeOf)[0];
}

/** The newest row of each. */
function eachNewest<T extends { readonly id: string }>(rows: readonly T[], timeOf: (row: T) => string): readonly T[] {
  return [
    ...new Map(
      newestFirst(rows, timeOf)
        .toReversed()
        .map((row) => [row.id, row]),
    ).values(),
  ];
}

function newestFirst<T>(rows: readonly T[], timeOf: (row: T) => string): readonly T[] {
  return rows.toSorted((a, b) => Date.parse(timeOf(b)) - Date.parse(timeOf(a)));
}

/** The node, or what a list that is here tells of it, which is all but for what its page asks of others. */
export function useNode(id: string) {
  const client = useQueryClient();
  const query = useQuery(nodeQuery(id));
  return { ...query, data: isMissed(query) ? keptNode(client, id) : query.data };
}

function keptNode(client: QueryClient, id: string): WorkerNode | undefined {
  const nodes = keptRowsOfNodes(client).filter((node) => node.id === id || node.instance.instanceId === id);
  return newestOf(nodes, ({ lastHeartbeat }) => lastHeartbeat);
}

function keptRowsOfNodes(client: QueryClient): readonly WorkerNode[] {
  return client
    .getQueriesData<Bounded<WorkerNode>>({ queryKey: ['nodes'] })
    .filter(([key]) => isFilter(key[1]))
    .flatMap(([, data]) => data?.rows ?? []);
}

/** Of a list with whole rows; the other keys of nodes begin with a word. */
function isFilter(of: unknown): of is Partial<NodeFilter> {
  return typeof of === 'object' && of !== null;
}

/** What the server finds, or while it is away what the lists that are here have. `isKept`: it is that. */
export function useFoundJobs(q: string) {
  const client = useQueryClient();
  const isAway = useIsAway();
  // Not asked meanwhile: the page behind would be said to miss it.
  const query = useQuery({
    ...foundJobsQuery(q),
    enabled: q !== '' && !isAway,
    placeholderData: (found) => stillFound<FoundJob>(found, q, (row) => hasText(row, q)),
  });
  return orKept<FoundJob>(query, isAway && q !== '', () =>
    eachNewest(keptJobRows(client), ({ updatedAt }) => updatedAt).filter((row) => hasText(row, q)),
  );
}

/** As `useFoundJobs`. */
export function useFoundNodes(q: string) {
  const client = useQueryClient();
  const isAway = useIsAway();
  const query = useQuery({
    ...foundNodesQuery(q),
    enabled: q !== '' && !isAway,
    placeholderData: (found) => stillFound<FoundNode>(found, q, (node) => hasTextOfNode(node, q)),
  });
  return orKept<FoundNode>(query, isAway && q !== '', () =>
    eachNewest(keptRowsOfNodes(client), ({ lastHeartbeat }) => lastHeartbeat).filter((node) => hasTextOfNode(node, q)),
  );
}

/** Of what the shorter text found, what has the longer one as well: the rows that stay do not go and come with each key. */
function stillFound<T>(found: Bounded<T> | undefined, q: string, hasIt: (row: T) => boolean): Bounded<T> | undefined {
  const rows = q === '' ? [] : (found?.rows.filter(hasIt) ?? []);
  return rows.length === 0 ? undefined : { rows, hasMore: found?.hasMore === true };
}

function orKept<T>(query: UseQueryResult<Bounded<T>>, isUnasked: boolean, keptOf: () => readonly T[]) {
  const isKept = isUnasked && (query.data === undefined || query.isPlaceholderData);
  return { ...query, data: isKept ? { rows: keptOf(), hasMore: false } : query.data, isKept };
}

interface Missable {
  readonly data: unknown;
  readonly fetchStatus: string;
}

function isMissed({ data, fetchStatus }: Missable): boolean {
  return data === undefined && fetchStatus === 'paused';
}

interface KeptJobs {
  readonly rows: readonly JobRow[];
  readonly isPart: boolean;
}

function keptJobs(client: QueryClient, filter: Partial<JobFilter>): KeptJobs | undefined {
  const lists = client.getQueriesData<JobPages>({ queryKey: ['job-pages'] });
  const names = client.getQueryData(nodeNamesQuery.queryKey);
  for (const [key, data] of lists) {
    const of = key[1] as Partial<JobFilter>;
    const last = data?.pages.at(-1);
    const isOfAll = last !== undefined && !last.isCut && !isSortedHere(of.sort);
    const isWider =
      of.phase === undefined &&
      of.status === undefined &&
      of.q === undefined &&
      isAlike(of, filter, ['phase', 'status', 'sort', 'q']);
    if (!data || !isOfAll || !isWider || !(filter.sort === of.sort || isSortedWhole(filter.sort))) continue;
    const rows = data.pages
      .flatMap((page) => page.rows)
      .filter((row) => isOfFilter(row, filter) && (filter.q === undefined || hasText(row, filter.q)));
    // A search of the server looks at more than a row has.
    const isPart = last.next !== null || filter.q !== undefined;
    // Of a part that has none nothing is known.
    if (isPart && rows.length === 0) continue;
    return {
      rows: isSortedWhole(filter.sort) ? sortedHere(rows, filter.sort, momentsOf(names)) : rows,
      isPart,
    };
  }
  return undefined;
}

function hasText({ id, name = '', queueName, nodeOid }: FoundJob, q: string): boolean {
  return isInSome([id, name, queueName, nodeOid], q);
}

function isInSome(texts: readonly string[], q: string): boolean {
  return texts.some((text) => text.toLowerCase().includes(q.toLowerCase()));
}

function keptNodes(client: QueryClient, filter: Partial<NodeFilter>): Bounded<WorkerNode> | undefined {
  const { q } = filter;
  const lists = client.getQueriesData<Bounded<WorkerNode>>({ queryKey: ['nodes'] });
  for (const [key, data] of lists) {
    const of = key[1];
    if (!isFilter(of) || !data || data.hasMore) continue;
    const { state, q: searched, sort } = of;
    if (searched !== undefined) continue;
    const isWider = state === 'all' || (state === undefined && (filter.state === 'alive' || filter.state === 'late'));
    const isSearched = q !== undefined && state === filter.state && sort === filter.sort;
    if (!(isWider || isSearched) || !isAlike(of, filter, ['state', 'sort', 'q'])) continue;
    return {
      rows: data.rows.filter((node) => isInState(node, filter.state) && (q === undefined || hasTextOfNode(node, q))),
      hasMore: false,
    };
  }
  return undefined;
}

/** As the server looks for it. */
function hasTextOfNode(node: FoundNode & Partial<WorkerNode>, q: string): boolean {
  const { id, hostName = '', ips = [], cpuModel = '', cpuVendor = '', instance } = node;
  return isInSome([id, hostName, ...ips, cpuModel, cpuVendor, ...Object.values(instance).map(String)], q);
}

function isInState({ state }: WorkerNode, asked: string | undefined): boolean {
  if (asked === undefined) return state === 'alive' || state === 'late';
  return asked === 'all' || state === asked;
}

/** Whether two filters ask for the same, but for what these names choose. */
function isAlike(a: object, b: object, but: readonly string[]): boolean {
  const text = (of: object): string =>
    JSON.stringify(
      Object.entries(of)
        .filter(([name, value]) => value !== undefined && !but.includes(name))
        .toSorted(),
    );
  return text(a) === text(b);
}
