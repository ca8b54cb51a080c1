/** Texts to be copied: a command, and a button for any other. */
import { type ReactNode, useState } from 'react';
import { copyText } from '../browser/copy-text.ts';
import { Icon } from './icon.tsx';

export function CommandLine({ line, onCopy }: { line: string; onCopy?: () => void }): ReactNode {
  const [copied, setCopied] = useState('');
  const note = (): void => {
    setCopied(line);
    onCopy?.();
  };
  return (
    <div className="command">
      <pre>
        <code>{line}</code>
      </pre>
      <button type="button" className="compact" onClick={() => void copyText(line).then(note)}>
        {copied === line ? 'Copied' : 'Copy'}
      </button>
    </div>
  );
}

interface CopyButtonProps {
  readonly text: string;
  /** What it copies, as it follows "Copy". */
  readonly what: string;
  /** Whether the words stand on it; otherwise they are its name only. */
  readonly hasWords?: boolean;
  /** Whether it is what is to be done next, until it is done. */
  readonly isPrimary?: boolean;
  readonly onCopy?: () => void;
}

/** Copies a text, and says so. */
export function CopyButton({ text, what, hasWords = false, isPrimary = false, onCopy }: CopyButtonProps): ReactNode {
  const [copied, setCopied] = useState('');
  const isCopied = copied === text;
  const words = isCopied ? 'Copied' : `Copy ${what}`;
  const note = (): void => {
    setCopied(text);
    onCopy?.();
  };
  const className = hasWords ? 'compact' : 'copy-button';
  return (
    <button
      type="button"
      className={isPrimary && !isCopied ? `${className} primary` : className}
      title={hasWords ? undefined : words}
      aria-label={hasWords ? undefined : words}
      onClick={() => void copyText(text).then(note)}
    >
      {hasWords ? words : <Icon name={isCopied ? 'done' : 'copy'} />}
    </button>
  );
}
