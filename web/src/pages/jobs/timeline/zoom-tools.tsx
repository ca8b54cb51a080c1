/** Buttons and keys that zoom a timeline without a drag. */
import { type KeyboardEvent, type ReactNode, useEffect } from 'react';
import { useNarrow } from '../../../browser/narrow.ts';
import { Icon, type IconName } from '../../../parts/icon.tsx';
import { canStep, type Sight, stepped, type ZoomStep } from './zoom.ts';

const STEPS: readonly (readonly [step: ZoomStep, icon: IconName, label: string, key: string])[] = [
  ['earlier', 'back', 'Earlier', '←'],
  ['out', 'minus', 'Zoom out', '-'],
  ['in', 'plus', 'Zoom in', '+'],
  ['later', 'forth', 'Later', '→'],
];

const STEP_OF_KEY: Readonly<Record<string, ZoomStep>> = {
  '+': 'in',
  '=': 'in',
  '-': 'out',
  ArrowLeft: 'earlier',
  ArrowRight: 'later',
};

/** Where Escape has a meaning of its own. */
const OWN_ESCAPE = 'input, textarea, select, [role=combobox], [role=menu], [role=listbox]';

interface ZoomProps {
  readonly zoom: Sight | undefined;
  readonly whole: Sight;
  readonly onZoom: (zoom: Sight | undefined) => void;
}

/** The keys of a timeline that has the keyboard. */
export function zoomKeys({ zoom, whole, onZoom }: ZoomProps): (event: KeyboardEvent) => void {
  return (event) => {
    const step = STEP_OF_KEY[event.key];
    if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    if (!canStep(step, zoom, whole)) return;
    const section = event.currentTarget as HTMLElement;
    // Of a mark that has the keyboard.
    const markMs = Number((event.target as HTMLElement).dataset['at']);
    onZoom(stepped(step, zoom, whole, markMs || undefined));
    // A mark that is out of sight by now had the keyboard: the next key zooms as well.
    requestAnimationFrame(() => {
      if (document.activeElement === document.body) section.focus({ preventScroll: true });
    });
  };
}

/** Escape shows everything again, wherever the keyboard is. */
export function useEscape(isZoomed: boolean, onZoom: ZoomProps['onZoom']): void {
  useEffect(() => {
    if (!isZoomed) return undefined;
    const leave = (event: globalThis.KeyboardEvent): void => {
      const { key, target, defaultPrevented } = event;
      const isElsewhere = target instanceof Element && target.closest(OWN_ESCAPE) !== null;
      if (key !== 'Escape' || defaultPrevented || isElsewhere || document.querySelector('[role=dialog]')) return;
      onZoom(undefined);
    };
    document.addEventListener('keydown', leave);
    return () => document.removeEventListener('keydown', leave);
  }, [isZoomed, onZoom]);
}

/** On a phone it stands with the range: above, it would push the buttons from below the thumb. */
export function ShowAll({ onZoom }: Pick<ZoomProps, 'onZoom'>): ReactNode {
  return (
    <button type="button" className="compact no-print" onClick={() => onZoom(undefined)}>
      Show all
    </button>
  );
}

export function ZoomTools(props: ZoomProps): ReactNode {
  const { zoom, whole, onZoom } = props;
  const isNarrow = useNarrow();
  return (
    <span className="zoom-tools no-print">
      {zoom && !isNarrow ? <ShowAll onZoom={onZoom} /> : null}
      {STEPS.map(([step, icon, label, key]) => (
        <button
          key={step}
          type="button"
          className="compact icon-button"
          aria-label={label}
          title={`${label} (${key})`}
          // Disabled, it would lose the keyboard.
          aria-disabled={!canStep(step, zoom, whole)}
          onClick={() => canStep(step, zoom, whole) && onZoom(stepped(step, zoom, whole))}
        >
          <Icon name={icon} />
        </button>
      ))}
    </span>
  );
}
