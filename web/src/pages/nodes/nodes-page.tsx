/** Worker nodes: who beats, who is late, who is gone. */
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useCallback, useMemo, useState } from 'react';
import type { WorkerNode } from '../../../../src/protocol/node.ts';
import { withQuery } from '../../api/request.ts';
import { ColumnMenu } from '../../controls/column-menu.tsx';
import { ordered } from '../../controls/sort-heading.tsx';
import { loadOf, loadTone, NO_LOAD, type NodeLoad, type NodeLoads } from '../../lists/loads-of.ts';
import type { Rooms } from '../../lists/needs.ts';
import { type ShownState, SORT_DEFAULT, shownState, urgencyOf } from '../../lists/shown-state.ts';
import { compareNames } from '../../names/compare-names.ts';
import { hostLabel } from '../../names/host-label.ts';
import { ListLink } from '../../names/list-link.tsx';
import { NodeName } from '../../names/node-link.tsx';
import { ConnectWorker } from '../../onboarding/connect-worker.tsx';
import { Badge } from '../../parts/badge.tsx';
import { DownloadButton } from '../../parts/download-button.tsx';
import { countText, spanText, wordsOf } from '../../parts/format.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { Answered, Empty } from '../../parts/states.tsx';
import { type Column, VirtualTable } from '../../parts/table.tsx';
import { Age, ageRoom } from '../../parts/time.tsx';
import { hiddenNodeColumns } from '../../preferences/hidden-columns.ts';
import { usePreference } from '../../preferences/preferences.ts';
import { useNodes } from '../../queries/kept-lists.ts';
import { nodeLoadsQuery } from '../../queries/node-loads.ts';
import { type NodeFilter, nodesQuery } from '../../queries/nodes.ts';
import { useSaveInterval } from '../../queries/save-interval.ts';
import { ViewTabs } from '../view-tabs.tsx';
import { NodeFilters } from './node-filters.tsx';
import { nodesCsv } from './nodes-file.ts';
import { StateCounts } from './state-counts.tsx';

interface Row extends WorkerNode {
  /** What it runs; undefined while that is asked for. */
  readonly load: NodeLoad | undefined;
  /** Of its unsaved work. */
  readonly tone: ReturnType<typeof loadTone>;
}

const COLUMNS: readonly Column<Row>[] = [
  {
    id: 'id',
    label: 'Node',
    width: 'minmax(11rem, 1.5fr)',
    sort: 'id',
    cell: ({ id }) => (
      <ListLink to="/node" search={{ id }} title={id}>
        <NodeName id={id} />
      </ListLink>
    ),
  },
  {
    id: 'state',
    label: 'State',
    width: '9rem',
    sort: 'state',
    isGreatestFirst: true,
    cell: (node) => <State node={node} />,
  },
  {
    id: 'jobs',
    yields: 6,
    label: 'Jobs',
    width: '6.5rem',
    sort: 'jobs',
    isGreatestFirst: true,
    isNumber: true,
    cell: ({ load }) => (load === undefined ? '…' : <Jobs load={load} />),
  },
  {
    id: 'unsaved',
    label: 'Unsaved work',
    width: '8.5rem',
    sort: 'unsaved',
    isGreatestFirst: true,
    isNumber: true,
    cell: ({ load, tone }) =>
      load === undefined ? (
        '…'
      ) : load.jobs + load.stranded === 0 ? (
        <span className="muted">–</span>
      ) : (
        <UnsavedOf load={load} tone={tone} />
      ),
  },
  {
    id: 'beat',
    label: 'Last heartbeat',
    width: '9.5rem',
    sort: 'lastHeartbeat',
    inCard: 'right',
    cell: ({ lastHeartbeat }) => <Age of={lastHeartbeat} />,
    // That it is alive tells as much, and what it would lose needs the room.
    cardCell: ({ state, lastHeartbeat }) => (state === 'alive' ? null : <Age of={lastHeartbeat} />),
  },
  {
    id: 'type',
    yields: 4,
    label: 'Type',
    width: 'minmax(8rem, 1fr)',
    sort: 'instanceType',
    inCard: true,
    cell: ({ instance }) => instance.instanceType,
    cardCell: (node) => <InShort node={node} />,
  },
  {
    id: 'pay',
    label: 'Pay type',
    width: '7rem',
    yields: 3,
    sort: 'payType',
    cell: ({ instance }) => wordsOf(instance.payType),
  },
  {
    id: 'zone',
    label: 'Zone',
    width: 'minmax(8rem, 1fr)',
    yields: 5,
    sort: 'zone',
    cell: ({ instance }) => instance.zone,
  },
  {
    id: 'cores',
    label: 'Cores',
    width: '5rem',
    yields: 1,
    sort: 'cores',
    isNumber: true,
    cell: ({ cores }) => countText(cores),
  },
  {
    id: 'memory',
    label: 'Memory',
    yields: 2,
    width: '7rem',
    sort: 'memoryInMB',
    isNumber: true,
    cell: ({ memoryInMB }) => `${countText(memoryInMB / 1024)} GiB`,
  },
];

/** Pixels at both sides of a badge's text. */
const BADGE_PX = 20;

/** What the texts of a row need. */
const ROOMS: Rooms<Row> = {
  id: ({ id }, widthOf) => widthOf(hostLabel(id)),
  state: (node, widthOf) => widthOf(wordsOf(shownOf(node))) + (shownOf(node) === 'alive' ? 0 : BADGE_PX),
  jobs: ({ load }, widthOf) =>
    widthOf(
      load === undefined ? '…' : load.stranded === 0 ? countText(load.jobs) : `${countText(load.stranded)} stranded`,
    ),
  beat: ({ lastHeartbeat }, widthOf) => widthOf(ageRoom(lastHeartbeat)),
  type: ({ instance }, widthOf) => widthOf(instance.instanceType),
  pay: ({ instance }, widthOf) => widthOf(wordsOf(instance.payType)),
  zone: ({ instance }, widthOf) => widthOf(instance.zone),
};

export function NodesPage(): ReactNode {
  const search = useSearch({ from: '/nodes' });
  const navigate = useNavigate({ from: '/nodes' });
  const { sort = SORT_DEFAULT, checkpoints, mark, ...filter } = search;
  const { data: loads } = useQuery(nodeLoadsQuery);
  const [roomless, setRoomless] = useState<readonly string[]>([]);
  // The server has no such filters.
  const only = mark ?? (checkpoints ? 'noCheckpoints' : undefined);
  const query = useNodes({ ...filter, sort: isByLoad(sort) ? 'id' : sort });
  const all = query.data?.rows ?? [];
  const shown = only === undefined ? all : all.filter((node) => shownState(node, loadOf(loads, node)?.jobs) === only);
  const { state: _, ...others } = filter;
  const setSort = useCallback(
    (sort: string) => void navigate({ search: (before) => ({ ...before, sort }) }),
    [navigate],
  );
  return (
    <>
      <PageHead title="Nodes">
        <ColumnMenu columns={COLUMNS} hidden={hiddenNodeColumns} roomless={roomless} />
        <DownloadButton
          from={
            // Of more nodes than were read the server has all, without what they run.
            query.data?.hasMore === true
              ? withQuery('/api/v1/node', { ...filter, sort: isByLoad(sort) ? undefined : sort, format: 'csv' })
              : async () => new Blob([nodesCsv(withLoads(shown, loads, sort))])
          }
          fileName="nodes.csv"
        >
          Export CSV
        </DownloadButton>
      </PageHead>
      <ViewTabs of="nodes" />
      <StateCounts chosen={only ?? search.state} others={others} />
      <NodeFilters search={search} />
      <Answered query={query} what="nodes">
        {({ hasMore }) => (
          <NodeTable
            rows={shown}
            hasMore={hasMore}
            filter={filter}
            isCut={only !== undefined}
            sort={sort}
            onSort={setSort}
            onRoomless={setRoomless}
          />
        )}
      </Answered>
    </>
  );
}

interface NodeTableProps {
  readonly rows: readonly WorkerNode[];
  readonly hasMore: boolean;
  readonly filter: Partial<NodeFilter>;
  /** Whether something else chooses among the nodes. */
  readonly isCut: boolean;
  readonly sort: string;
  readonly onSort: (sort: string) => void;
  readonly onRoomless: (ids: readonly string[]) => void;
}

/** The server does not sort by what the jobs of a node do. */
function isByLoad(sort: string): boolean {
  return sort.endsWith('jobs') || sort.endsWith('unsaved');
}

/** The rows with what each runs, in the order that the server does not know. */
function withLoads(
  nodes: readonly WorkerNode[],
  loads: NodeLoads | undefined,
  sort: string,
  intervalSeconds?: number,
): readonly Row[] {
  const rows = nodes.map((node): Row => {
    const load = loadOf(loads, node);
    return { ...node, load, tone: load ? loadTone(load, intervalSeconds) : '' };
  });
  const isDescending = sort.startsWith('-');
  // The server compares ids by their characters, and in a descending list those of one state descend, too.
  if (sort.endsWith('id')) return rows.toSorted((a, b) => (isDescending ? -1 : 1) * compareNames(a.id, b.id));
  const byName = rows.toSorted((a, b) => compareNames(a.id, b.id));
  if (sort.endsWith('state')) {
    // Among those that are amiss, the one that takes most with it; those that are well keep their places.
    const byLoss = ordered(byName, isDescending, (row) => (shownOf(row) === 'alive' ? 0 : unsavedOf(row)));
    return ordered(byLoss, isDescending, (row) => urgencyOf(row, row.load?.jobs));
  }
  if (!isByLoad(sort)) return rows;
  const figureOf = ({ jobs, stranded, unsavedSeconds }: NodeLoad): number =>
    sort.endsWith('jobs') ? jobs + stranded : unsavedSeconds;
  return ordered(byName, isDescending, ({ load }) => figureOf(load ?? NO_LOAD));
}

function unsavedOf({ load }: Row): number {
  return load?.unsavedSeconds ?? 0;
}

/** What the colour tells. */
const WORST = {
  bad: ['A job that was never saved', 'neverSavedSeconds'],
  warn: ['A job whose checkpoint is overdue', 'mostSeconds'],
  '': ['', 'mostSeconds'],
} as const;

function UnsavedOf({ load, tone }: { load: NodeLoad; tone: Row['tone'] }): ReactNode {
  const [why, seconds] = WORST[tone];
  return (
    <span className={tone} title={why === '' ? undefined : `${why} has ${spanText(load[seconds])} of it`}>
      {spanText(load.unsavedSeconds)}
    </span>
  );
}

/** A node that is gone runs none: those that it left behind are told. Of many zeros the others stand out. */
function Jobs({ load: { jobs, stranded } }: { load: NodeLoad }): ReactNode {
  if (stranded === 0) return <span className={jobs === 0 ? 'muted' : undefined}>{countText(jobs)}</span>;
  return <span className="bad">{countText(stranded)} stranded</span>;
}

/** Below the name of a node, in a card: what it has left behind, or what it would lose and where it is. */
function InShort({ node: { instance, load, tone } }: { node: Row }): ReactNode {
  const { instanceType, zone } = instance;
  const where = [zone, instanceType].filter((part) => part !== '').join(' · ');
  if (!load || load.jobs + load.stranded === 0) return where;
  const unsaved = (
    <>
      <UnsavedOf load={load} tone={tone} /> unsaved
    </>
  );
  return load.stranded > 0 ? (
    <>
      <Jobs load={load} /> · {unsaved}
    </>
  ) : (
    <>
      {unsaved} · {where}
    </>
  );
}

/** Only what is amiss has a colour. */
function State({ node }: { node: Row }): ReactNode {
  const shown = shownOf(node);
  if (shown === 'alive') return <span className="muted">Alive</span>;
  return <Badge state={shown} title={shown === 'noCheckpoints' ? node.agent?.reason : undefined} />;
}

function shownOf(node: Row): ShownState {
  return shownState(node, node.load?.jobs);
}

/** A search is for one node: that it no longer runs is an answer, not that there is none. */
function InOtherStates({ filter }: { filter: Partial<NodeFilter> }): ReactNode {
  const isAsked = filter.q !== undefined && filter.state !== 'all';
  const { data } = useQuery({ ...nodesQuery({ ...filter, state: 'all', sort: SORT_DEFAULT }), enabled: isAsked });
  const count = data?.rows.length ?? 0;
  if (!isAsked || count === 0) return <Link to="/nodes">Show all running nodes</Link>;
  return (
    <Link to="/nodes" search={{ ...filter, state: 'all' }}>
      Show {countText(count)} {count === 1 ? 'match' : 'matches'} in other states
    </Link>
  );
}

function NodeTable({ rows: nodes, hasMore, filter, isCut, sort, onSort, onRoomless }: NodeTableProps): ReactNode {
  const hidden = usePreference(hiddenNodeColumns);
  const { data: loads } = useQuery(nodeLoadsQuery);
  const intervalSeconds = useSaveInterval();
  const rows = useMemo(() => withLoads(nodes, loads, sort, intervalSeconds), [nodes, loads, sort, intervalSeconds]);
  const isFiltered = isCut || Object.values(filter).some((value) => value !== undefined);
  if (rows.length === 0)
    return (
      <Empty title={isFiltered ? 'No node matches' : 'No node is running'}>
        {isFiltered ? <InOtherStates filter={filter} /> : <ConnectWorker />}
      </Empty>
    );
  return (
    <>
      <VirtualTable
        label="Nodes"
        columns={COLUMNS}
        hidden={hidden}
        rows={rows}
        rooms={ROOMS}
        keyOf={({ id }) => id}
        sort={sort}
        onSort={onSort}
        onRoomless={onRoomless}
        opensRows
      />
      <p className="muted small">
        {loads?.hasMore ? 'More than 10,000 jobs run; those of the others are not counted. ' : ''}
        {hasMore
          ? `The first ${countText(rows.length)} nodes; search for the others`
          : `${countText(rows.length)} ${rows.length === 1 ? 'node' : 'nodes'}`}
      </p>
    </>
  );
}
