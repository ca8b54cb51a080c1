/** From the lines that are loaded to those before and behind them, where the log has such. */
import type { ReactNode } from 'react';
import { endsOf } from './line-marks.ts';
import { AT_END, type LogFilter } from './log-filter.ts';
import { sizeOfLog } from './seek-log.ts';
import type { LogState } from './use-log.ts';

interface LogWaysProps {
  readonly path: string;
  readonly state: LogState;
  readonly hasOlder: boolean;
  readonly hasLater: boolean;
  readonly onFilter: (change: LogFilter) => void;
}

/** By the times of the lines; by bytes where they tell none. */
export function LogWays({ path, state, hasOlder, hasLater, onFilter }: LogWaysProps): ReactNode {
  const { lines, marks, place } = state;
  if (lines.length === 0) return null;
  const [first, last] = (endsOf(marks) ?? []).map((ms) => new Date(ms).toISOString());
  const goTo = (to: LogFilter): void => onFilter({ ...AT_END, ...to });
  const toByte = (byte: number): void => goTo({ byte: String(Math.max(0, byte)) });
  // Where the server is away, the bar above the page says so.
  const toOlder = async (): Promise<void> => {
    if (first !== undefined) goTo({ around: first });
    else toByte(place?.fromByte ?? (await sizeOfLog(path)) - bytesOf(lines));
  };
  return (
    <>
      {hasOlder ? <Way name="Older lines" onClick={() => void toOlder().catch(() => undefined)} /> : null}
      {hasLater ? (
        <Way
          name="Later lines"
          onClick={() => (last === undefined ? toByte(place?.toByte ?? 0) : goTo({ from: last }))}
        />
      ) : null}
    </>
  );
}

function bytesOf(lines: readonly string[]): number {
  return new TextEncoder().encode(lines.join('\n')).length + 1;
}

function Way({ name, onClick }: { name: string; onClick: () => void }): ReactNode {
  return (
    <>
      {' · '}
      <button type="button" className="link" onClick={onClick}>
        {name}
      </button>
    </>
  );
}
