/** The logs that a node sent, one at a time. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { jobOutputOf } from '../../../../src/protocol/job-output.ts';
import { Select } from '../../controls/select.tsx';
import { type LogFilter, LogView } from '../../logs/log-view.tsx';
import { Answered } from '../../parts/states.tsx';
import { nodeFilesQuery } from '../../queries/nodes.ts';

interface NodeLogsProps {
  readonly id: string;
  /** Whose output is shown first, where no file is chosen. */
  readonly jobId?: string;
  readonly file: string | undefined;
  readonly onFile: (file: string) => void;
  readonly filter: LogFilter;
  readonly onFilter: (change: LogFilter) => void;
}

export function NodeLogs({ id, jobId, file, onFile, filter, onFilter }: NodeLogsProps): ReactNode {
  const query = useQuery(nodeFilesQuery(id));
  return (
    <Answered query={query} what="log files">
      {(files) => {
        const chosen = files.find((name) => name === file) ?? outputOf(files, jobId) ?? files[0];
        if (chosen === undefined) return <p className="muted">This node has sent no logs.</p>;
        return (
          <LogView path={chosen} filter={filter} onFilter={onFilter}>
            <Select
              label="Log file"
              options={files.map((name) => ({ value: name, label: labelOf(name, jobId) }))}
              value={chosen}
              onChange={onFile}
            />
          </LogView>
        );
      }}
    </Answered>
  );
}

/** What tells one from another comes first: there is little room. */
function labelOf(file: string, jobId: string | undefined): string {
  const of = jobOutputOf(file);
  if (of === undefined) return file.replace(/^\/nodes\/[^/]+/, '');
  return `${of.output} of ${of.job === jobId ? 'this job' : of.job}`;
}

/** Standard error tells more than standard output. */
function outputOf(files: readonly string[], jobId: string | undefined): string | undefined {
  const own = files.filter((file) => jobId !== undefined && jobOutputOf(file)?.job === jobId);
  return own.find((file) => jobOutputOf(file)?.output === 'stderr') ?? own[0];
}
