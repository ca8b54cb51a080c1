/** Copies a text, and says so. */
import { type ReactNode, useState } from 'react';
import { Icon } from '../parts/icon.tsx';

interface CopyButtonProps {
  readonly text: string;
  /** What it copies, as it follows "Copy". */
  readonly what: string;
  /** Whether the words stand on it; otherwise they are its name only. */
  readonly hasWords?: boolean;
}

export function CopyButton({ text, what, hasWords = false }: CopyButtonProps): ReactNode {
  const [copied, setCopied] = useState('');
  const isCopied = copied === text;
  const words = isCopied ? 'Copied' : `Copy ${what}`;
  return (
    <button
      type="button"
      className={hasWords ? 'compact' : 'copy-button'}
      title={hasWords ? undefined : words}
      aria-label={hasWords ? undefined : words}
      onClick={() => void navigator.clipboard?.writeText(text).then(() => setCopied(text))}
    >
      {hasWords ? words : <Icon name={isCopied ? 'done' : 'copy'} />}
    </button>
  );
}
