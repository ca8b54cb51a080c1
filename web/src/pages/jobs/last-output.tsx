/** Where a job failed: the last lines that it wrote, so that the reason is in sight. */
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useLayoutEffect, useRef } from 'react';
import { jobOutputOf } from '../../../../src/protocol/job-output.ts';
import { readLogLine } from '../../logs/log-line.ts';
import { useSettled } from '../../parts/settled.ts';
import { Loading } from '../../parts/states.tsx';
import { localText } from '../../parts/time.tsx';
import { logTailQuery, nodeFilesQuery } from '../../queries/nodes.ts';

const LINES = 20;

interface LastOutputProps {
  readonly jobId: string;
  /** The node that it ran on last; undefined where nothing is to be shown. */
  readonly nodeId: string | undefined;
  /** Called where the reader wants all of the logs. */
  readonly onAll: () => void;
  /** What is below: it comes with the lines, which would push it down. It is told whether there are any. */
  readonly children: (hasLines: boolean) => ReactNode;
}

/** Shows nothing of its own if no output of the job is stored there. */
export function WithLastOutput({ jobId, nodeId, onAll, children }: LastOutputProps): ReactNode {
  const list = useQuery({ ...nodeFilesQuery(nodeId ?? ''), enabled: nodeId !== undefined });
  const path = (output: string): string | undefined =>
    list.data?.find((file) => {
      const of = jobOutputOf(file);
      return of?.job === jobId && of.output === output;
    });
  const error = useQuery(logTailQuery(path('stderr'), LINES));
  // What wrote nothing to standard error may have told its trouble on standard output.
  const isSilent = path('stderr') === undefined || error.data === '';
  const output = useQuery(logTailQuery(isSilent ? path('stdout') : undefined, LINES));
  const isSettled = useSettled([list, error, output].some(({ isLoading }) => isLoading));
  if (!isSettled) return <Loading what="its last lines" />;
  const [name, text] = isSilent ? ['standard output', output.data] : ['standard error', error.data];
  const hasLines = nodeId !== undefined && Boolean(text);
  return (
    <>
      {hasLines && text ? (
        <section className="panel" aria-labelledby="last-output">
          <h2 id="last-output">
            Last lines <span className="muted">of {name}</span>
          </h2>
          <Lines text={text.trimEnd()} />
          <button type="button" className="link" onClick={onAll}>
            All of its logs
          </button>
        </section>
      ) : null}
      {children(hasLines)}
    </>
  );
}

/** A time that a line begins with, in the reader's zone, as the events have theirs. */
const ISO_FIRST = /^\[?(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d))\b/;

function inZone(line: string): string {
  const time = ISO_FIRST.exec(line)?.[1];
  return time === undefined ? line : line.replace(time, localText(time));
}

/** What a program wrote last, and why it ended, is at the end: that is in sight first. */
function Lines({ text }: { text: string }): ReactNode {
  const box = useRef<HTMLPreElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: other lines, another end
  useLayoutEffect(() => {
    if (box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [text]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reached by the keyboard
    <pre className="last-output" tabIndex={0} ref={box}>
      {text.split('\n').map((line, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no names, and do not move
        <span key={i} className={`level-${readLogLine(line).level}`}>
          {`${inZone(line)}\n`}
        </span>
      ))}
    </pre>
  );
}
