/** A list by state: a pill for each, with how many are in it. One line, which scrolls sideways where it has no room. */
import { type ReactNode, useEffect, useRef } from 'react';

interface StateStripProps {
  /** What is counted, e.g. `Phases`. */
  readonly label: string;
  /** Changes where another pill is the current one, or pills become wider: the current one is brought into sight. */
  readonly current: string;
  /** Links, with `pillClass` and a `PillText` each. */
  readonly children: ReactNode;
}

export function StateStrip({ label, current, children }: StateStripProps): ReactNode {
  const strip = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: see `current`
  useEffect(() => {
    const { current: nav } = strip;
    const pill = nav?.querySelector<HTMLElement>('[aria-current]');
    if (nav && pill) nav.scrollLeft = pill.offsetLeft - (nav.clientWidth - pill.offsetWidth) / 2;
  }, [current]);
  return (
    <nav className="states" aria-label={label} ref={strip}>
      {children}
    </nav>
  );
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
