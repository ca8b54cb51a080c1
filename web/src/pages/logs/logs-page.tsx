/** The server's own logs. Their paths follow the configured file name. */
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useCallback } from 'react';
import { logNameOf } from '../../../../src/protocol/config/config.ts';
import type { LogFilter } from '../../logs/log-filter.ts';
import { LogView } from '../../logs/log-view.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Answered } from '../../parts/states.tsx';
import { configQuery } from '../../queries/server.ts';
import { NodeTab } from './node-tab.tsx';

export function LogsPage(): ReactNode {
  const { log, node, file, ...filter } = useSearch({ from: '/logs' });
  const navigate = useNavigate({ from: '/logs' });
  const setFilter = useCallback(
    (change: LogFilter & { node?: string | undefined; file?: string | undefined }) =>
      void navigate({ search: (before) => ({ ...before, ...change }), replace: change.around === undefined }),
    [navigate],
  );
  return (
    <>
      <PageHead title="Logs" />
      <nav className="tabs" aria-label="Logs">
        <LogTab log={undefined} chosen={log}>
          Server
        </LogTab>
        <LogTab log="access" chosen={log}>
          Access
        </LogTab>
        <LogTab log="node" chosen={log}>
          Worker nodes
        </LogTab>
      </nav>
      {log === 'node' ? (
        <NodeTab node={node} file={file} filter={filter} onChange={setFilter} />
      ) : (
        <ServerLog {...{ log, filter, setFilter }} />
      )}
    </>
  );
}

interface ServerLogProps {
  readonly log: string | undefined;
  readonly filter: LogFilter;
  readonly setFilter: (change: LogFilter) => void;
}

function ServerLog({ log, filter, setFilter }: ServerLogProps): ReactNode {
  const query = useQuery(configQuery);
  const isAccess = log === 'access';
  return (
    <Answered query={query} what="the configuration">
      {(config) => {
        const path = `/${encodeURIComponent(logNameOf(config))}${isAccess ? '-access' : ''}.log`;
        return (
          <LogView key={path} path={path} filter={filter} onFilter={setFilter} isOfRequests={isAccess} hasCourse />
        );
      }}
    </Answered>
  );
}

/** An empty search is part of any other: the router would call both tabs the current one. */
function LogTab(props: { log: string | undefined; chosen: string | undefined; children: ReactNode }): ReactNode {
  const { log, chosen, children } = props;
  return (
    <Link
      to="/logs"
      search={log === undefined ? {} : { log }}
      className={log === chosen ? 'active' : ''}
      aria-current={log === chosen ? 'page' : undefined}
      activeOptions={{ exact: true }}
      activeProps={{ className: '' }}
    >
      {children}
    </Link>
  );
}
