/** A list by state: a pill for each, with how many are in it. One line, which scrolls sideways where it has no room. */
import { type ReactNode, type RefObject, useEffect, useRef } from 'react';
import { markEdges } from '../browser/edges.ts';

interface StateStripProps {
  /** What is counted, e.g. `Phases`. */
  readonly label: string;
  /** Links, with `pillClass` and a `PillText` each. */
  readonly children: ReactNode;
}

export function StateStrip({ label, children }: StateStripProps): ReactNode {
  const strip = useRef<HTMLElement>(null);
  useCurrentInSight(strip);
  return (
    <nav className="states" aria-label={label} ref={strip}>
      {children}
    </nav>
  );
}

/**
 * The current pill is whole, whatever pushes it: counts that come later, a window that becomes narrower. Where it stays, the
 * strip does, so that one can look at the others. An end beyond which there are more is faded.
 */
function useCurrentInSight(strip: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const { current: nav } = strip;
    if (!nav) return undefined;
    let placed = '';
    const fade = (): void => markEdges(nav);
    const place = (): void => {
      const pill = nav.querySelector<HTMLElement>('[aria-current]');
      const now = `${pill?.offsetLeft} ${pill?.offsetWidth} ${nav.clientWidth}`;
      if (pill && now !== placed) nav.scrollLeft = pill.offsetLeft - (nav.clientWidth - pill.offsetWidth) / 2;
      placed = now;
      fade();
    };
    const sizes = new ResizeObserver(place);
    sizes.observe(nav);
    const pills = new MutationObserver(place);
    pills.observe(nav, { subtree: true, childList: true, characterData: true, attributeFilter: ['aria-current'] });
    nav.addEventListener('scroll', fade, { passive: true });
    return () => {
      sizes.disconnect();
      pills.disconnect();
      nav.removeEventListener('scroll', fade);
    };
  }, [strip]);
}

/** `isNone`: whether nothing is in the state. */
export function pillClass(is: { readonly isChosen: boolean; readonly isNone: boolean }): string {
  return ['state-pill', is.isChosen ? 'state-chosen' : '', is.isNone ? 'state-none' : ''].filter(Boolean).join(' ');
}

/** `tone`: of a state that is amiss, where something is in it. */
export function PillText(props: { label: string; count: ReactNode; tone?: 'bad' | 'warn' | '' }): ReactNode {
  return (
    <>
      {props.label} <span className={`state-count ${props.tone ?? ''}`.trimEnd()}>{props.count}</span>
    </>
  );
}
