/** A short table within a panel: wider than its place it scrolls, and in a narrow window its rows are cards, one below the other. */
import type { ReactNode } from 'react';

/** Cells below a heading have its text as `data-label`: a card shows it beside the value. */
export function StackTable(props: { label: string; className?: string; children: ReactNode }): ReactNode {
  const { label, className = '', children } = props;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reached by the keyboard
    <section className="scroll" tabIndex={0} aria-label={`${label}, table`}>
      <table className={`stack ${className}`}>{children}</table>
    </section>
  );
}
