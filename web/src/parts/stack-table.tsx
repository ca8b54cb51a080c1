/**
 * A short table within a panel: wider than its place it scrolls, and its first column stays; in a narrow window its rows are
 * cards, one below the other.
 */
import { type ReactNode, useEffect, useRef } from 'react';
import { markEdges } from '../browser/edges.ts';

/** Cells below a heading have its text as `data-label`: a card shows it beside the value. */
export function StackTable(props: { label: string; className?: string; children: ReactNode }): ReactNode {
  const { label, className = '', children } = props;
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    const { current } = box;
    const [table] = current?.children ?? [];
    if (!current || !table) return undefined;
    const mark = (): void => markEdges(current);
    const sizes = new ResizeObserver(mark);
    sizes.observe(current);
    sizes.observe(table);
    current.addEventListener('scroll', mark, { passive: true });
    return () => {
      sizes.disconnect();
      current.removeEventListener('scroll', mark);
    };
  }, []);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reached by the keyboard
    <section className="scroll" tabIndex={0} aria-label={`${label}, table`} ref={box}>
      <table className={`stack ${className}`}>{children}</table>
    </section>
  );
}
