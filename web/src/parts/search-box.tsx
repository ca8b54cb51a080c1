/** A text that is searched for a moment after the last key, not with each. */
import { type ReactNode, useEffect, useState } from 'react';

const WAIT_MS = 300;

export function SearchBox(props: { label: string; value: string; onChange: (text: string) => void }): ReactNode {
  const { label, value, onChange } = props;
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  useEffect(() => {
    if (text === value) return undefined;
    const timer = window.setTimeout(() => onChange(text), WAIT_MS);
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
