/** How a figure differs from that of the same range of time before. */
import type { ReactNode } from 'react';
import { changeText } from './change-text.ts';

export function Change(props: { now: number; before: number; format: (value: number) => string }): ReactNode {
  const { now, before, format } = props;
  if (before === 0 && now === 0) return null;
  return (
    <span className="change" title={`${format(before)} in the period before`}>
      {changeText(now, before)}
      <span className="hidden"> against {format(before)} in the period before</span>
    </span>
  );
}
