/** The logs that a node sent, one at a time. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { jobOutputOf } from '../../../../src/protocol/job-output.ts';
import { Select } from '../../controls/select.tsx';
import type { LogFilter } from '../../logs/log-filter.ts';
import { LogView } from '../../logs/log-view.tsx';
import { Answered, Empty } from '../../parts/states.tsx';
import { nodeFilesQuery } from '../../queries/nodes.ts';
import { filesOfJob } from './job-files.ts';

interface NodeLogsProps {
  readonly id: string;
  /** On the page of a job: no other job's output is shown. */
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
      {(all) => {
        const files = jobId === undefined ? all : filesOfJob(jobId, all);
        const chosen = files.find((name) => name === file) ?? files[0];
        if (chosen === undefined) return jobId === undefined ? <Empty title="This node has sent no log" /> : null;
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
