/** What the pages ask of nodes: paths, keys and how long an answer holds. */
import { queryOptions } from '@tanstack/react-query';
import { lastSignMsOf } from '../../../src/protocol/names/node-state.ts';
import type { NodeState, WorkerNode } from '../../../src/protocol/node.ts';
import { ApiError, ask, askJson, withQuery } from '../api/request.ts';
import type { Moments } from '../lists/job-orders.ts';
import { shownState } from '../lists/shown-state.ts';
import { type Bounded, bounded, COUNT_ROWS_MAX } from './paging.ts';
import { previousAnswer } from './previous-answer.ts';

export type NodeFilter = Readonly<
  Record<
    'q' | 'state' | 'sort' | 'zone' | 'instanceType' | 'payType' | 'heartbeatAfter' | 'heartbeatBefore',
    string | undefined
  >
>;

export function nodesQuery(filter: Partial<NodeFilter>) {
  return queryOptions({
    queryKey: ['nodes', filter],
    queryFn: ({ signal }) =>
      bounded<WorkerNode>(withQuery('/api/v1/node', { ...filter, limit: COUNT_ROWS_MAX }), signal),
  });
}

/** The node of this id or, failing that, of this instance id. */
export function nodeQuery(id: string) {
  return queryOptions({
    queryKey: ['nodes', 'one', id],
    queryFn: async ({ signal }): Promise<WorkerNode> => {
      try {
        return await askJson<WorkerNode>(`/api/v1/node/${encodeURIComponent(id)}`, { signal });
      } catch (error) {
        if (!(error instanceof ApiError && error.status === 404)) throw error;
        const node = (await nodesNamed(id, signal)).find(({ instance }) => instance.instanceId === id);
        if (node) return node;
        throw error;
      }
    },
  });
}

/** Nodes of which a text holds this one, newest first. */
function nodesNamed(name: string, signal: AbortSignal): Promise<WorkerNode[]> {
  const path = withQuery('/api/v1/node', { q: name, state: 'all', sort: '-lastHeartbeat', limit: 200 });
  return askJson<WorkerNode[]>(path, { signal });
}

/** The node that events name, by its instance or its id; null where there is none. The newest, should several have borne the name. */
export function nodeOfInstanceQuery(nodeOid: string) {
  return queryOptions({
    queryKey: ['nodes', 'of-instance', nodeOid],
    queryFn: async ({ signal }): Promise<WorkerNode | null> => {
      const nodes = await nodesNamed(nodeOid, signal);
      return nodes.find(({ id, instance }) => instance.instanceId === nodeOid || id === nodeOid) ?? null;
    },
    staleTime: 30_000,
  });
}

const FOUND_NODES = 50;
export type FoundNode = Pick<WorkerNode, 'id' | 'state' | 'drained' | 'interruption' | 'agent' | 'instance'>;

/** Nodes that have this text, also those that are gone. */
export function foundNodesQuery(q: string) {
  return queryOptions({
    queryKey: ['palette', 'nodes', q],
    queryFn: ({ signal }) =>
      bounded<FoundNode>(withQuery('/api/v1/node', { q, state: 'all', limit: FOUND_NODES }), signal),
    enabled: q !== '',
  });
}

export interface PlacedNode {
  readonly instance: Pick<WorkerNode['instance'], 'zone' | 'instanceType' | 'payType'>;
}

/** Where the nodes of a state are, what they are, and how they are paid for; at most 10,000. */
export function nodePlacesQuery(state: string | undefined) {
  return queryOptions({
    queryKey: ['nodes', 'places', state],
    queryFn: ({ signal }) => {
      const fields = 'instance.zone,instance.instanceType,instance.payType';
      return bounded<PlacedNode>(withQuery('/api/v1/node', { state, fields, limit: COUNT_ROWS_MAX }), signal);
    },
    staleTime: 30_000,
    placeholderData: previousAnswer(),
  });
}

export type ListedNode = Pick<WorkerNode, 'id' | 'state' | 'lastHeartbeat'>;

/** So many late ones, and so many lost ones, come before the others. */
const TROUBLED = 20;
const ORDERS: Readonly<Record<NodeState, string>> = {
  late: 'lastHeartbeat',
  lost: '-lastHeartbeat',
  alive: 'id',
  deregistered: '-lastHeartbeat',
};

/**
 * The first nodes that have this text and, where one is given, this state: else the late ones, those that were lost last, those that
 * are alive by id, and those that left last.
 */
export function firstNodesQuery(q: string, state: NodeState | undefined, limit: number) {
  return queryOptions({
    queryKey: ['nodes', 'first', q, state, limit],
    queryFn: async ({ signal }): Promise<Bounded<ListedNode>> => {
      const read = (of: NodeState, max = limit): Promise<Bounded<ListedNode>> => {
        const query = { q, state: of, sort: ORDERS[of], fields: 'id,state,lastHeartbeat', limit: max };
        return bounded(withQuery('/api/v1/node', query), signal);
      };
      if (state !== undefined) return read(state);
      const parts = await Promise.all([
        read('late', TROUBLED),
        read('lost', TROUBLED),
        read('alive'),
        read('deregistered'),
      ]);
      const rows = parts.flatMap((part) => part.rows);
      return { rows: rows.slice(0, limit), hasMore: rows.length > limit || parts.some(({ hasMore }) => hasMore) };
    },
    placeholderData: previousAnswer(),
  });
}

/** What a list of jobs tells of a node. */
export type NamedNode = Pick<WorkerNode, 'id' | 'state' | 'lastHeartbeat' | 'endedAt'>;

/** What lists of jobs are sorted by, as far as nodes tell it. */
export function momentsOf(names: ReadonlyMap<string, NamedNode> | undefined): Moments {
  const goneMsOf = (nodeOid: string): number | undefined => {
    const node = names?.get(nodeOid);
    return node && lastSignMsOf(node);
  };
  return { nowMs: Date.now(), goneMsOf, nameOf: (nodeOid) => names?.get(nodeOid)?.id };
}

/** Each node by its id and by its instance id. Nodes that are not among the newest 10,000 are named as the job names them. */
export const nodeNamesQuery = queryOptions({
  queryKey: ['nodes', 'names'],
  queryFn: async ({ signal }): Promise<ReadonlyMap<string, NamedNode>> => {
    const fields = 'id,state,lastHeartbeat,endedAt,instance.instanceId';
    const path = withQuery('/api/v1/node', { state: 'all', sort: '-lastHeartbeat', fields, limit: COUNT_ROWS_MAX });
    const nodes = await askJson<(NamedNode & Pick<WorkerNode, 'instance'>)[]>(path, { signal });
    // The newest of those that have borne a name comes first, and wins. Events may name a node by either.
    const newestLast = nodes.toReversed();
    return new Map([
      ...newestLast.map((node) => [node.id, node] as const),
      ...newestLast.map((node) => [node.instance.instanceId, node] as const),
    ]);
  },
  staleTime: 30_000,
});

/** The nodes that run, those that are late included; at most 10,000. */
const inServiceQuery = queryOptions({
  queryKey: ['nodes', 'count', 'running'],
  queryFn: async ({ signal }): Promise<{ count: number; reclaiming: readonly ReclaimingNode[] }> => {
    const fields = 'id,state,interruption,instance.instanceId';
    const path = withQuery('/api/v1/node', { fields, limit: COUNT_ROWS_MAX });
    const nodes = await askJson<Pick<WorkerNode, 'id' | 'state' | 'interruption' | 'instance'>[]>(path, { signal });
    const reclaiming = nodes.flatMap(({ id, state, interruption, instance }): ReclaimingNode[] =>
      interruption && shownState({ state, interruption }, undefined) === 'reclaiming'
        ? [{ id, instance, time: interruption.time }]
        : [],
    );
    return { count: nodes.length, reclaiming: reclaiming.sort((a, b) => Date.parse(a.time) - Date.parse(b.time)) };
  },
});

/** How many they are. */
export const runningNodesQuery = queryOptions({ ...inServiceQuery, select: ({ count }) => count });

/** `time`: when the cloud takes it. */
export interface ReclaimingNode extends Pick<WorkerNode, 'id' | 'instance'> {
  readonly time: string;
}

/** Those that the cloud is taking, the first one first. */
export const reclaimingNodesQuery = queryOptions({ ...inServiceQuery, select: ({ reclaiming }) => reclaiming });

export function nodeFilesQuery(id: string) {
  return queryOptions({
    queryKey: ['nodes', 'files', id],
    queryFn: ({ signal }) => askJson<string[]>(`/api/v1/nodes/${encodeURIComponent(id)}/files`, { signal }),
  });
}

/** Nodes that run or ran on spot machines, as far as reclaims are concerned; the newest 10,000. */
export const spotNodesQuery = queryOptions({
  queryKey: ['nodes', 'spot'],
  queryFn: ({ signal }) => {
    const fields = 'id,state,lastHeartbeat,interruption,instance.zone,instance.instanceType,instance.createTime';
    const query = { state: 'all', payType: 'Spot', sort: '-lastHeartbeat', fields, limit: COUNT_ROWS_MAX };
    return bounded<Pick<WorkerNode, 'id' | 'state' | 'lastHeartbeat' | 'interruption' | 'instance'>>(
      withQuery('/api/v1/node', query),
      signal,
    );
  },
});

/** The last lines of a stored log; nothing is asked where there is no path. */
export function logTailQuery(path: string | undefined, lines: number) {
  return queryOptions({
    queryKey: ['logs', 'tail', path, lines],
    queryFn: async ({ signal }) => (await ask(withQuery(path ?? '', { tail: lines }), { signal })).text(),
    enabled: path !== undefined,
  });
}
