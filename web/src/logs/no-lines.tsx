/** Why no line of a log is shown, and the way back to all of them. */
import type { ReactNode } from 'react';
import type { LogFacts } from './log-facts.ts';

export interface NoLinesProps {
  /** Whether it is not known yet if there are lines. */
  readonly isAsking: boolean;
  /** Whether the reader asked for some of the lines only. */
  readonly isChosen: boolean;
  readonly isOfRequests: boolean;
  readonly facts: LogFacts;
  /** By which they are chosen; undefined for all. */
  readonly level: string | undefined;
  /** What was searched for, marked in the lines; empty for nothing. */
  readonly q: string;
  /** Ends what chooses lines, but for their time. */
  readonly onAll: () => void;
}

export function NoLines(props: NoLinesProps): ReactNode {
  const { isAsking, isChosen, level, q, onAll } = props;
  if (isAsking || !isChosen) return <p className="log-empty">{isAsking ? 'Loading the log…' : 'No lines yet'}</p>;
  return (
    <div className="log-empty">
      <p>{whyNone(props)}</p>
      {q === '' && level === undefined ? null : (
        <button type="button" onClick={onAll}>
          Show all lines
        </button>
      )}
    </div>
  );
}

function whyNone({ facts, isOfRequests, level, q }: NoLinesProps): string {
  if (facts.isTimeless) return 'No line that was read tells a time: go to the end to see them';
  if (level !== undefined && !isOfRequests && !facts.hasLevels) return 'No line that was read tells a level';
  const which = level === undefined ? 'No line' : isOfRequests ? 'No such request' : 'No line of this level';
  if (q !== '') return `${which} has all of these words`;
  return level === undefined ? 'No line since then' : which;
}
