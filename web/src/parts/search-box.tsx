/** A text that is searched for a moment after the last key, not with each. */
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useNarrow } from '../browser/narrow.ts';

const WAIT_MS = 300;

interface SearchBoxProps {
  readonly label: string;
  /** What stands in it in a narrow window, where the label has no room. */
  readonly short?: string;
  /** What stands in it elsewhere, in place of the label. */
  readonly hint?: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
}

export function SearchBox({ label, short = label, hint = label, value, onChange }: SearchBoxProps): ReactNode {
  const isNarrow = useNarrow();
  const [text, setText] = useState(value);
  const sent = useRef(value);
  useEffect(() => {
    // What comes back is what was typed before: keys that were pressed since must not be lost.
    if (value === sent.current) return;
    sent.current = value;
    setText(value);
  }, [value]);
  // An id is pasted with what stood beside it.
  const asked = text.trim();
  useEffect(() => {
    if (asked === value) return undefined;
    const timer = window.setTimeout(() => {
      sent.current = asked;
      onChange(asked);
    }, WAIT_MS);
    return () => window.clearTimeout(timer);
  }, [asked, value, onChange]);
  return (
    <input
      type="search"
      className="search"
      aria-label={label}
      placeholder={isNarrow ? short : hint}
      title={hint === label ? undefined : hint}
      value={text}
      onChange={(event) => setText(event.target.value)}
    />
  );
}
