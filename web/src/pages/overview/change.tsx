/** How a figure differs from that of the same range of time before. */
import type { ReactNode } from 'react';
import { changeText } from './change-text.ts';

interface ChangeProps {
  readonly now: number;
  readonly before: number;
  readonly format: (value: number) => string;
  /** Says nothing where there was nothing before: the largest figure of the page has said it. */
  readonly isQuiet?: boolean;
}

export function Change({ now, before, format, isQuiet = false }: ChangeProps): ReactNode {
  if (before === 0 && (now === 0 || isQuiet)) return null;
  return (
    <span className="change" title={`${format(before)} in the period before`}>
      {changeText(now, before, format)}
      {isQuiet || before === 0 ? (
        <span className="hidden"> against {format(before)} in the period before</span>
      ) : (
        ' on the period before'
      )}
    </span>
  );
}
