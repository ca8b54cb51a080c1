/** The logs that a node sent, one at a time. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { nodeFilesQuery } from '../../api/queries.ts';
import { LogView } from '../../logs/log-view.tsx';
import { Answered, Empty } from '../../parts/states.tsx';

export function NodeLogs(props: { id: string; file: string | undefined; onFile: (file: string) => void }): ReactNode {
  const { id, file, onFile } = props;
  const query = useQuery(nodeFilesQuery(id));
  return (
    <Answered query={query} what="log files">
      {(files) => {
        const chosen = files.find((name) => name === file) ?? files[0];
        if (chosen === undefined) return <Empty title="This node sent no log" />;
        return (
          <>
            <select
              className="log-file"
              aria-label="Log file"
              value={chosen}
              onChange={(event) => onFile(event.target.value)}
            >
              {files.map((name) => (
                <option key={name} value={name}>
                  {name.replace(/^\/nodes\/[^/]+/, '')}
                </option>
              ))}
            </select>
            <LogView key={chosen} path={chosen} />
          </>
        );
      }}
    </Answered>
  );
}
