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
  /** Whether the server chose them: it knows the levels of all lines. */
  readonly isLevelAsked: boolean;
  /** What was searched for, marked in the lines; empty for nothing. */
  readonly q: string;
  /** Ends what chooses lines, but for their time. */
  readonly onAll: () => void;
  /** Goes to the end of the log. */
  readonly onEnd: () => void;
}

export function NoLines(props: NoLinesProps): ReactNode {
  const { isAsking, isChosen, facts, level, q, onAll, onEnd } = props;
  if (isAsking || !isChosen) return <p className="log-empty">{isAsking ? 'Loading the log…' : 'No lines yet'}</p>;
  return (
    <div className="log-empty">
      <p>{whyNone(props)}</p>
      {facts.isTimeless ? (
        <button type="button" onClick={onEnd}>
          Show the newest lines
        </button>
      ) : q === '' && level === undefined ? null : (
        <button type="button" onClick={onAll}>
          Show all lines
        </button>
      )}
    </div>
  );
}

function whyNone({ facts, isOfRequests, level, isLevelAsked, q }: NoLinesProps): string {
  if (facts.isTimeless) return 'No line that was read tells a time';
  if (level === undefined) return q === '' ? 'No line since then' : 'No line has all of these words';
  if (!isLevelAsked && !facts.hasLevels) return 'No line that was read tells a level';
  if (q !== '') return `No ${isOfRequests ? 'such request' : 'line of this level'} has all of these words`;
  return (isOfRequests ? NO_REQUESTS : NO_LINES)[level] ?? 'No line of this level';
}

const NO_LINES: Readonly<Record<string, string>> = { error: 'No errors', warn: 'No errors, no warnings' };
const NO_REQUESTS: Readonly<Record<string, string>> = { error: 'None failed', warn: 'None refused or failed' };
