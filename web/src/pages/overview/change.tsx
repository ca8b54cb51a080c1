/** How a figure differs from that of the same range of time before. */
import type { ReactNode } from 'react';
import { changeText, tellsBefore } from './change-text.ts';

interface ChangeProps {
  readonly now: number;
  readonly before: number;
  readonly format: (value: number) => string;
  /** What `before` is of: `the 24 hours before`. */
  readonly period: string;
  /** Leaves the period to the reader: the largest figure of the page has said it. */
  readonly isQuiet?: boolean;
}

export function Change({ now, before, format, period, isQuiet = false }: ChangeProps): ReactNode {
  // Of a time before there was anything there is nothing to tell.
  if (before === 0) return null;
  return (
    <span className="change" title={`${format(before)} in ${period}`}>
      {changeText(now, before, format)}
      {isQuiet ? (
        <span className="hidden">
          {' '}
          against {format(before)} in {period}
        </span>
      ) : (
        ` ${tellsBefore(now, before) ? 'in' : 'on'} ${period}`
      )}
    </span>
  );
}
