/** What the server explains of a job or a node, the worst first. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Severity } from '../../../src/protocol/explain/finding.ts';
import { explainQuery } from '../api/queries.ts';
import { Failure } from './states.tsx';

const TONES: Readonly<Record<Severity, string>> = { ok: 'good', info: 'info', warning: 'warn', critical: 'bad' };

export function Findings({ kind, id }: { kind: 'job' | 'node'; id: string }): ReactNode {
  const { data, error, refetch } = useQuery(explainQuery(kind, id));
  if (!data) return error ? <Failure error={error} what="the explanation" isSlim retry={() => void refetch()} /> : null;
  return (
    <ul className="findings" aria-label="How it is">
      {data.findings.length === 0 && <li className="finding finding-good">{data.summary}</li>}
      {data.findings.map(({ code, severity, text, remedy }) => (
        <li key={code} className={`finding finding-${TONES[severity]}`}>
          {text}
          {remedy !== null && <Remedy text={remedy} />}
        </li>
      ))}
    </ul>
  );
}

/** What to do about a finding, with commands that can be told from the sentence. */
export function Remedy({ text }: { text: string }): ReactNode {
  // Commands stand in brackets.
  const [before = '', ...parts] = text.split(/(\(cairn [^)]+\))/);
  return (
    <span className="finding-remedy">
      {before}
      {parts.map((part) =>
        part.startsWith('(cairn ') ? (
          <span key={part}>
            (<code>{part.slice(1, -1)}</code>)
          </span>
        ) : (
          part
        ),
      )}
    </span>
  );
}
