/** Where a job failed: the last lines that it wrote, so that the reason is in sight. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { jobOutputOf } from '../../../../src/protocol/job-output.ts';
import { logTailQuery, nodeFilesQuery } from '../../api/queries.ts';

const LINES = 20;

/** `nodeId`: the node that it ran on last. Shows nothing if no output of the job is stored there. */
export function LastOutput({ jobId, nodeId }: { jobId: string; nodeId: string }): ReactNode {
  const { data: files = [] } = useQuery(nodeFilesQuery(nodeId));
  const path = (output: string): string | undefined =>
    files.find((file) => {
      const of = jobOutputOf(file);
      return of?.job === jobId && of.output === output;
    });
  const error = useQuery(logTailQuery(path('stderr'), LINES));
  // What wrote nothing to standard error may have told its trouble on standard output.
  const isSilent = path('stderr') === undefined || error.data === '';
  const output = useQuery(logTailQuery(isSilent ? path('stdout') : undefined, LINES));
  const [name, text] = isSilent ? ['standard output', output.data] : ['standard error', error.data];
  if (!text) return null;
  return (
    <section className="panel" aria-labelledby="last-output">
      <h2 id="last-output">
        Last lines <span className="muted">of {name}</span>
      </h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reached by the keyboard */}
      <pre className="last-output" tabIndex={0}>
        {text.trimEnd()}
      </pre>
      <a href="#logs">All of its logs</a>
    </section>
  );
}
