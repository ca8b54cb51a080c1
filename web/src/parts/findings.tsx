/** What the server explains of a job or a node, the worst first. */
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Explanation, Severity } from '../../../src/protocol/explain/finding.ts';
import { explainQuery } from '../api/queries.ts';
import { useSettled } from './settled.ts';
import { Failure, isAsking, Loading } from './states.tsx';

const TONES: Readonly<Record<Severity, string>> = { ok: 'good', info: 'info', warning: 'warn', critical: 'bad' };

function Findings({ kind, query }: { kind: 'job' | 'node'; query: UseQueryResult<Explanation> }): ReactNode {
  const { data, error, refetch } = query;
  if (!data) return error ? <Failure error={error} what="the explanation" isSlim retry={() => void refetch()} /> : null;
  // Beside what is wrong it would be a contradiction that all is well; of a node its state has said so.
  const wrong = data.findings.filter(({ severity }) => severity !== 'ok');
  const shown = wrong.length > 0 || kind === 'node' ? wrong : data.findings;
  if (shown.length === 0 && kind === 'node') return null;
  return (
    <ul className="findings" aria-label="How it is">
      {shown.length === 0 && <li className="finding finding-good">{data.summary}</li>}
      {shown.map(({ code, severity, text, remedy }) => (
        <li key={code} className={`finding finding-${TONES[severity]}`}>
          {text}
          {remedy !== null && <Remedy text={remedy} />}
        </li>
      ))}
    </ul>
  );
}

/** What is below the findings comes with them: it would be pushed down. */
export function WithFindings(props: { kind: 'job' | 'node'; id: string; children: ReactNode }): ReactNode {
  const { kind, id, children } = props;
  const query = useQuery(explainQuery(kind, id));
  const isSettled = useSettled(isAsking(query));
  if (!isSettled) return <Loading what="what it does" />;
  return (
    <>
      <Findings kind={kind} query={query} />
      {children}
    </>
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
