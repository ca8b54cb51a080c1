/**
 * A short table within a panel: wider than its place it scrolls, and its first column stays; in a narrow window its rows are
 * cards, one below the other.
 */
import { type ReactNode, useEffect, useRef } from 'react';
import { markEdges } from '../browser/edges.ts';
import { openRow } from '../browser/open-row.ts';

interface StackTableProps {
  readonly label: string;
  readonly className?: string;
  /** A click anywhere in a row opens its first link. */
  readonly opensRows?: boolean;
  readonly children: ReactNode;
}

/** Cells below a heading have its text as `data-label`: a card shows it beside the value. */
export function StackTable({ label, className = '', opensRows = false, children }: StackTableProps): ReactNode {
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
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: by the keyboard the link of the row opens it */}
      <table
        className={`stack ${opensRows ? 'opens-rows ' : ''}${className}`}
        onClick={opensRows ? openRow : undefined}
      >
        {children}
      </table>
    </section>
  );
}
