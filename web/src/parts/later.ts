/** A text as it was a moment after the last key: what is typed is not asked for with each of them. */
import { useEffect, useState } from 'react';

export function useLater(text: string, waitMs: number): string {
  const [later, setLater] = useState(text);
  useEffect(() => {
    const timer = window.setTimeout(() => setLater(text), waitMs);
    return () => window.clearTimeout(timer);
  }, [text, waitMs]);
  return later;
}
