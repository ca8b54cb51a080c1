/** The form for a range between two moments. In a file of its own, fetched ahead; it opens as soon as it is there. */
import { Popover } from '@base-ui/react/popover';
import { type ReactNode, useId, useState } from 'react';
import { timeZone, usePreference } from '../preferences/preferences.ts';
import { boundsOf, type Range } from './range.ts';
import { faultOf, fieldMs, fieldText } from './range-text.ts';

interface CustomRangeProps {
  readonly value: Range;
  readonly label: string;
  readonly className: string;
  readonly onChange: (range: Range) => void;
}

export function CustomRange({ value, label, className, onChange }: CustomRangeProps): ReactNode {
  const [isOpen, setOpen] = useState(true);
  return (
    <Popover.Root open={isOpen} onOpenChange={setOpen}>
      <Popover.Trigger className={className}>{label}</Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner className="positioner" sideOffset={6} align="end">
          <Popover.Popup className="popup range-form" aria-label="Custom range">
            <Form
              value={value}
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

function Form({ value, onApply }: { value: Range; onApply: (range: Range) => void }): ReactNode {
  const zone = usePreference(timeZone);
  const [texts, setTexts] = useState(() => {
    const { startMs, endMs } = boundsOf(value, Date.now(), zone);
    return { from: fieldText(startMs, zone), to: fieldText(endMs, zone) };
  });
  const [fault, setFault] = useState<string>();
  const noteId = useId();
  const apply = (): void => {
    const bounds = { startMs: fieldMs(texts.from, zone), endMs: fieldMs(texts.to, zone) };
    const found = faultOf(bounds, Date.now());
    setFault(found);
    if (found === undefined) onApply(bounds);
  };
  const field = (name: 'from' | 'to', title: string): ReactNode => (
    <label>
      <span>{title}</span>
      <input
        type="datetime-local"
        value={texts[name]}
        aria-invalid={fault !== undefined || undefined}
        aria-describedby={noteId}
        onChange={({ target }) => setTexts((before) => ({ ...before, [name]: target.value }))}
      />
    </label>
  );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        apply();
      }}
    >
      {field('from', 'From')}
      {field('to', 'To')}
      <p id={noteId} className={fault ? 'bad small' : 'muted small'} role={fault ? 'alert' : undefined}>
        {fault ?? (zone === 'utc' ? 'Times are in UTC.' : `Times are in your zone, ${LOCAL_ZONE}.`)}
      </p>
      <button type="submit" className="primary">
        Apply
      </button>
    </form>
  );
}

const LOCAL_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;
