/** The form for a range between two moments. In a file of its own, fetched ahead; it opens as soon as it is there. */
import { Popover } from '@base-ui/react/popover';
import { type ReactNode, type RefObject, useId, useRef, useState } from 'react';
import { focusOn } from '../controls/focus-on.ts';
import { timeZone, usePreference } from '../preferences/preferences.ts';
import { momentMs, momentText } from './moment-text.ts';
import { boundsOf, type Range } from './range.ts';
import { faultOf } from './range-text.ts';

interface CustomRangeProps {
  readonly value: Range;
  readonly label: string;
  readonly className: string;
  readonly onChange: (range: Range) => void;
}

export function CustomRange({ value, label, className, onChange }: CustomRangeProps): ReactNode {
  const [isOpen, setOpen] = useState(true);
  const first = useRef<HTMLInputElement>(null);
  return (
    <Popover.Root open={isOpen} onOpenChange={setOpen}>
      <Popover.Trigger className={className}>{label}</Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner className="positioner" sideOffset={6} align="end">
          <Popover.Popup className="popup range-form" aria-label="Custom range" initialFocus={focusOn(first)}>
            <Form
              value={value}
              first={first}
              onApply={(range) => {
                setOpen(false);
                onChange(range);
              }}
            />
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

interface FormProps {
  readonly value: Range;
  readonly first: RefObject<HTMLInputElement | null>;
  readonly onApply: (range: Range) => void;
}

function Form({ value, first, onApply }: FormProps): ReactNode {
  const zone = usePreference(timeZone);
  const [texts, setTexts] = useState(() => {
    const { startMs, endMs } = boundsOf(value, Date.now(), zone);
    return { from: momentText(startMs, zone), to: momentText(endMs, zone) };
  });
  const [fault, setFault] = useState<string>();
  const noteId = useId();
  const apply = (from: string, to: string): void => {
    const nowMs = Date.now();
    const bounds = { startMs: momentMs(from, nowMs, zone), endMs: momentMs(to, nowMs, zone) };
    const found = faultOf(bounds, nowMs);
    setFault(found);
    if (found === undefined) onApply(bounds);
  };
  const field = (name: 'from' | 'to', title: string): ReactNode => (
    <label>
      <span>{title}</span>
      <input
        ref={name === 'from' ? first : undefined}
        type="text"
        autoComplete="off"
        spellCheck={false}
        value={texts[name]}
        aria-invalid={fault !== undefined || undefined}
        aria-describedby={noteId}
        onFocus={({ target }) => target.select()}
        onChange={({ target }) => setTexts((before) => ({ ...before, [name]: target.value }))}
      />
    </label>
  );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        apply(texts.from, texts.to);
      }}
    >
      <div className="range-days">
        <button type="button" className="compact" onClick={() => onApply('today')}>
          Today
        </button>
        <button type="button" className="compact" onClick={() => onApply('yesterday')}>
          Yesterday
        </button>
      </div>
      {field('from', 'From')}
      {field('to', 'To')}
      <p id={noteId} className={fault ? 'bad small' : 'muted small'} role={fault ? 'alert' : undefined}>
        {fault ?? (zone === 'utc' ? 'Times are in UTC.' : `Times are in your zone, ${LOCAL_ZONE}.`)} Such as{' '}
        <time className="unbroken hyphen">2026-01-31 12:00</time>, 2 h ago or now.
      </p>
      <button type="submit" className="primary">
        Apply
      </button>
    </form>
  );
}

const LOCAL_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;
