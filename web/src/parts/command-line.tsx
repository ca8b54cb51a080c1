/** A command to be copied. */
import { type ReactNode, useState } from 'react';

export function CommandLine({ line }: { line: string }): ReactNode {
  const [copied, setCopied] = useState('');
  return (
    <>
      <pre className="command">
        <code>{line}</code>
      </pre>
      <button
        type="button"
        className="compact"
        onClick={() => void navigator.clipboard?.writeText(line).then(() => setCopied(line))}
      >
        {copied === line ? 'Copied' : 'Copy'}
      </button>
    </>
  );
}
