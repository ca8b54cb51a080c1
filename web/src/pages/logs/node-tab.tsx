/** The logs of worker nodes: first which node, then its log. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { NODE_STATES, type NodeState } from '../../../../src/protocol/names/node-state.ts';
import { Choice } from '../../controls/choice.tsx';
import { Filters } from '../../lists/filters.tsx';
import type { LogFilter } from '../../logs/log-filter.ts';
import { NodeName } from '../../names/node-link.tsx';
import { Badge } from '../../parts/badge.tsx';
import { SearchBox } from '../../parts/search-box.tsx';
import { StackTable } from '../../parts/stack-table.tsx';
import { Answered, Empty } from '../../parts/states.tsx';
import { Age } from '../../parts/time.tsx';
import { firstNodesQuery } from '../../queries/nodes.ts';
import { FilterChip } from '../filter-chip.tsx';
import { NodeLogs } from '../nodes/node-logs.tsx';

interface NodeTabProps {
  readonly node: string | undefined;
  readonly file: string | undefined;
  readonly filter: LogFilter;
  readonly onChange: (change: LogFilter & { node?: string | undefined; file?: string | undefined }) => void;
}

const NO_FILTER = { q: undefined, level: undefined, from: undefined, around: undefined, byte: undefined } as const;

export function NodeTab({ node, file, filter, onChange }: NodeTabProps): ReactNode {
  if (node === undefined) return <Nodes />;
  return (
    <>
      <p className="log-of">
        <FilterChip
          name="Node"
          value={node}
          onClear={() => onChange({ node: undefined, file: undefined, ...NO_FILTER })}
        />
        <Link to="/node" search={{ id: node }} className="small log-of-node">
          Show the node
        </Link>
      </p>
      <NodeLogs
        key={node}
        id={node}
        file={file}
        onFile={(next) => onChange({ file: next })}
        filter={filter}
        onFilter={onChange}
      />
    </>
  );
}

const ROWS_MAX = 50;

/** Those that are gone, too: why they went is in their logs. */
function Nodes(): ReactNode {
  const [q, setText] = useState('');
  const [state, setState] = useState<NodeState>();
  const query = useQuery(firstNodesQuery(q, state, ROWS_MAX));
  const isAll = q === '' && state === undefined;
  return (
    <>
      <Filters search={<SearchBox label="Search nodes" value={q} onChange={setText} />} chosen={[state]}>
        <Choice
          label="State"
          all="Any state"
          values={NODE_STATES}
          value={state}
          onChange={(name) => setState(NODE_STATES.find((one) => one === name))}
        />
      </Filters>
      <p className="muted list-note">
        Logs are searched one node at a time: choose the node. The page of a <Link to="/jobs">job</Link> leads to the
        logs of the node that it ran on.
      </p>
      <Answered query={query} what="nodes">
        {({ rows, hasMore }) =>
          rows.length === 0 ? (
            <Empty title={isAll ? 'No node has registered yet' : 'No node matches'}>
              {isAll ? <Link to="/nodes">Connect a worker</Link> : null}
            </Empty>
          ) : (
            <section className="panel" aria-label="Nodes">
              <StackTable label="Nodes with logs" className="wrapped-heads">
                <thead>
                  <tr>
                    <th scope="col">Log of node</th>
                    <th scope="col" className="left">
                      State
                    </th>
                    <th scope="col">Last heartbeat</th>
                  </tr>
                </thead>
                <tbody>
                  {rows.map(({ id, state, lastHeartbeat }) => (
                    <tr key={id}>
                      <th scope="row">
                        <Link to="/logs" search={{ log: 'node', node: id }} title={id}>
                          <NodeName id={id} />
                        </Link>
                      </th>
                      <td className="left" data-label="State">
                        {state === 'alive' ? <span className="muted">Alive</span> : <Badge state={state} />}
                      </td>
                      <td data-label="Last heartbeat">
                        <Age of={lastHeartbeat} />
                      </td>
                    </tr>
                  ))}
                </tbody>
              </StackTable>
              {hasMore ? (
                <p className="muted small">
                  {ROWS_MAX} nodes
                  {state === undefined ? ', those in trouble first; choose a state or search' : '; search'} for the
                  others
                </p>
              ) : null}
            </section>
          )
        }
      </Answered>
    </>
  );
}
