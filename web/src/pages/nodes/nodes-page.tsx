/** Worker nodes: who beats, who is late, who is gone. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useCallback } from 'react';
import { NODE_STATES } from '../../../../src/protocol/names/node-state.ts';
import type { WorkerNode } from '../../../../src/protocol/node.ts';
import { nodesQuery } from '../../api/queries.ts';
import { withQuery } from '../../api/request.ts';
import { Choice } from '../../controls/choice.tsx';
import { ColumnMenu } from '../../controls/column-menu.tsx';
import { ListLink } from '../../names/list-link.tsx';
import { NodeName } from '../../names/node-link.tsx';
import { Badge } from '../../parts/badge.tsx';
import { DownloadButton } from '../../parts/download-button.tsx';
import { countText, wordsOf } from '../../parts/format.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { SearchBox } from '../../parts/search-box.tsx';
import { Answered, Empty } from '../../parts/states.tsx';
import { type Column, VirtualTable } from '../../parts/table.tsx';
import { Age } from '../../parts/time.tsx';
import { hiddenNodeColumns } from '../../preferences/hidden-columns.ts';
import { usePreference } from '../../preferences/preferences.ts';
import { FilterChip } from '../filter-chip.tsx';
import { NodeTabs } from './node-tabs.tsx';

const COLUMNS: readonly Column<WorkerNode>[] = [
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
  { id: 'state', label: 'State', width: '8rem', sort: 'state', cell: ({ state }) => <Badge state={state} /> },
  {
    id: 'beat',
    label: 'Last heartbeat',
    width: '9.5rem',
    sort: 'lastHeartbeat',
    inCard: 'right',
    cell: ({ lastHeartbeat }) => <Age of={lastHeartbeat} />,
  },
  {
    id: 'type',
    label: 'Type',
    width: 'minmax(8rem, 1fr)',
    sort: 'instanceType',
    inCard: true,
    cell: ({ instance }) => instance.instanceType,
    cardCell: ({ instance: { instanceType, zone, payType } }) =>
      [instanceType, zone, payType === '' ? '' : wordsOf(payType)].filter((part) => part !== '').join(' · '),
  },
  {
    id: 'pay',
    label: 'Pay type',
    width: '7rem',
    yields: 3,
    sort: 'payType',
    cell: ({ instance }) => wordsOf(instance.payType),
  },
  { id: 'zone', label: 'Zone', width: 'minmax(8rem, 1fr)', sort: 'zone', cell: ({ instance }) => instance.zone },
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

export function NodesPage(): ReactNode {
  const search = useSearch({ from: '/nodes' });
  const navigate = useNavigate({ from: '/nodes' });
  const query = useQuery(nodesQuery(search));
  const setText = useCallback(
    (q: string) => void navigate({ search: ({ q: _, ...rest }) => (q ? { ...rest, q } : rest), replace: true }),
    [navigate],
  );
  const setSort = useCallback(
    (sort: string) => void navigate({ search: (before) => ({ ...before, sort }), replace: true }),
    [navigate],
  );
  const setState = (state: string | undefined): void =>
    void navigate({ search: ({ state: _, ...rest }) => (state ? { ...rest, state } : rest), replace: true });
  const clear = (name: 'zone' | 'instanceType'): void =>
    void navigate({ search: (before) => ({ ...before, [name]: undefined }), replace: true });
  return (
    <>
      <PageHead title="Nodes">
        <ColumnMenu columns={COLUMNS} hidden={hiddenNodeColumns} />
        <DownloadButton path={withQuery('/api/v1/node', { ...search, format: 'csv' })} fileName="nodes.csv">
          Export CSV
        </DownloadButton>
      </PageHead>
      <NodeTabs />
      <search className="filters">
        <SearchBox label="Search id, host, address, instance" value={search.q ?? ''} onChange={setText} />
        <Choice label="State" all="Running" values={[...NODE_STATES, 'all']} value={search.state} onChange={setState} />
        <FilterChip name="Zone" value={search.zone} onClear={() => clear('zone')} />
        <FilterChip name="Type" value={search.instanceType} onClear={() => clear('instanceType')} />
      </search>
      <Answered query={query} what="nodes">
        {({ rows, hasMore }) => (
          <NodeTable
            rows={rows}
            hasMore={hasMore}
            isFiltered={Object.keys(search).some((name) => name !== 'sort')}
            sort={search.sort ?? 'id'}
            onSort={setSort}
          />
        )}
      </Answered>
    </>
  );
}

interface NodeTableProps {
  readonly rows: readonly WorkerNode[];
  readonly hasMore: boolean;
  readonly isFiltered: boolean;
  readonly sort: string;
  readonly onSort: (sort: string) => void;
}

function NodeTable({ rows, hasMore, isFiltered, sort, onSort }: NodeTableProps): ReactNode {
  const hidden = usePreference(hiddenNodeColumns);
  if (rows.length === 0)
    return (
      <Empty title={isFiltered ? 'No node matches' : 'No node is running'}>
        <p className="muted">
          To connect a worker, run <code>sudo cairn agent --server {location.origin}</code> on it.
        </p>
      </Empty>
    );
  return (
    <>
      <VirtualTable
        label="Nodes"
        columns={COLUMNS}
        hidden={hidden}
        rows={rows}
        keyOf={({ id }) => id}
        sort={sort}
        onSort={onSort}
        opensRows
      />
      <p className="muted small">
        {hasMore
          ? `The first ${countText(rows.length)} nodes; search for the others`
          : `${countText(rows.length)} ${rows.length === 1 ? 'node' : 'nodes'}`}
      </p>
    </>
  );
}
