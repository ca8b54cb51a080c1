/** From the lines that are loaded to those before and behind them, where the log has such. */
import type { ReactNode } from 'react';
import { endsOf, type LineMark } from './line-marks.ts';

interface LogWaysProps {
  /** Of the lines that are loaded. */
  readonly marks: readonly LineMark[];
  readonly hasOlder: boolean;
  readonly hasLater: boolean;
  /** RFC 3339: what is to be shown around, or from when on. */
  readonly onFilter: (change: { readonly around: string | undefined; readonly from: string | undefined }) => void;
}

export function LogWays({ marks, hasOlder, hasLater, onFilter }: LogWaysProps): ReactNode {
  const ends = endsOf(marks);
  if (!ends) return null;
  const [first, last] = ends.map((ms) => new Date(ms).toISOString());
  return (
    <>
      {hasOlder ? (
        <>
          {' · '}
          <button type="button" className="link" onClick={() => onFilter({ around: first, from: undefined })}>
            Older lines
          </button>
        </>
      ) : null}
      {hasLater ? (
        <>
          {' · '}
          <button type="button" className="link" onClick={() => onFilter({ around: undefined, from: last })}>
            Later lines
          </button>
        </>
      ) : null}
    </>
  );
}
