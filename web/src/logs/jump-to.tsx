/** From which moment on a log is shown: one of a few, or a time as the lines have it. The address holds it in UTC. */
import { Popover } from '@base-ui/react/popover';
import { type ReactNode, type RefObject, useId, useRef, useState } from 'react';
import { focusOn } from '../controls/focus-on.ts';
import { decimalText } from '../parts/format.ts';
import { timeZone, usePreference } from '../preferences/preferences.ts';
import { momentMs, momentText } from '../range/moment-text.ts';
import type { Zone } from '../range/range.ts';

/** As one would type them. */
const PRESETS = ['15 m ago', '1 h ago', 'today', 'yesterday'] as const;
/** Before any line. */
const BEGINNING = new Date(0).toISOString();

interface JumpToProps {
  /** RFC 3339; empty where the end is shown. */
  readonly value: string;
  /** RFC 3339: what is shown stands around it; empty where it does not. */
  readonly around: string;
  /** What is shown stands around it; undefined where it does not. */
  readonly byte: number | undefined;
  readonly onJump: (moment: string | undefined) => void;
}

export function JumpTo({ value, around, byte, onJump }: JumpToProps): ReactNode {
  const zone = usePreference(timeZone);
  const [isOpen, setOpen] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const jump = (moment: string | undefined): void => {
    setOpen(false);
    onJump(moment);
  };
  return (
    <Popover.Root open={isOpen} onOpenChange={setOpen}>
      <Popover.Trigger className={value === '' && around === '' && byte === undefined ? 'jump' : 'jump jump-chosen'}>
        {byte === undefined ? labelOf(value, around, zone) : `Around ${decimalText(byte / 1_048_576)} MiB`}
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner className="positioner" sideOffset={6} align="start">
          <Popover.Popup className="popup range-form" aria-label="From this time on" initialFocus={focusOn(field)}>
            <JumpForm
              value={around || value}
              isAtEnd={value === '' && around === '' && byte === undefined}
              onJump={jump}
              field={field}
            />
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

function labelOf(value: string, around: string, zone: Zone): string {
  if (around !== '') return `Around ${momentText(Date.parse(around), zone)}`;
  if (value === '') return 'From…';
  return value === BEGINNING ? 'From the beginning' : `From ${momentText(Date.parse(value), zone)}`;
}

interface JumpFormProps extends Pick<JumpToProps, 'value' | 'onJump'> {
  readonly isAtEnd: boolean;
  readonly field: RefObject<HTMLInputElement | null>;
}

function JumpForm({ value, isAtEnd, onJump, field }: JumpFormProps): ReactNode {
  const zone = usePreference(timeZone);
  const [text, setText] = useState(value === '' || value === BEGINNING ? '' : momentText(Date.parse(value), zone));
  const [isBad, setBad] = useState(false);
  const noteId = useId();
  const take = (typed: string): void => {
    const ms = momentMs(typed, Date.now(), zone);
    setBad(Number.isNaN(ms));
    if (!Number.isNaN(ms)) onJump(new Date(ms).toISOString());
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        take(text);
      }}
    >
      <div className="presets">
        {PRESETS.map((preset) => (
          <button key={preset} type="button" className="compact" onClick={() => take(preset)}>
            {preset.charAt(0).toUpperCase() + preset.slice(1)}
          </button>
        ))}
        <button type="button" className="compact" onClick={() => onJump(BEGINNING)}>
          The beginning
        </button>
        {isAtEnd ? null : (
          <button type="button" className="compact" onClick={() => onJump(undefined)}>
            The end
          </button>
        )}
      </div>
      <label>
        <span>Or a time{zone === 'utc' ? ', in UTC' : ''}</span>
        <input
          ref={field}
          type="text"
          autoComplete="off"
          spellCheck={false}
          placeholder={momentText(Math.floor(Date.now() / 3_600_000) * 3_600_000, zone)}
          value={text}
          aria-invalid={isBad || undefined}
          aria-describedby={noteId}
          onChange={({ target }) => setText(target.value)}
        />
      </label>
      <p id={noteId} className={isBad ? 'bad small' : 'muted small'} role={isBad ? 'alert' : undefined}>
        {isBad
          ? 'Enter a time such as 05:17, 2026-01-31 05:17 or 2 h ago.'
          : 'Such as 05:17, 2026-01-31 05:17 or 2 h ago.'}
      </p>
      <button type="submit" className="primary" disabled={text.trim() === ''}>
        Show from there
      </button>
    </form>
  );
}
