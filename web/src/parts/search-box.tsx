/** A text that is searched for a moment after the last key, not with each. */
import { type ReactNode, useEffect, useRef, useState } from 'react';

const WAIT_MS = 300;

export function SearchBox(props: { label: string; value: string; onChange: (text: string) => void }): ReactNode {
  const { label, value, onChange } = props;
  const [text, setText] = useState(value);
  const sent = useRef(value);
  useEffect(() => {
    // What comes back is what was typed before: keys that were pressed since must not be lost.
    if (value === sent.current) return;
    sent.current = value;
    setText(value);
  }, [value]);
  useEffect(() => {
    if (text === value) return undefined;
    const timer = window.setTimeout(() => {
      sent.current = text;
      onChange(text);
    }, WAIT_MS);
    return () => window.clearTimeout(timer);
  }, [text, value, onChange]);
  return (
    <input
      type="search"
      className="search"
      aria-label={label}
      placeholder={label}
      value={text}
      onChange={(event) => setText(event.target.value)}
    />
  );
}
