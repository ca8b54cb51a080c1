/** What the server explains of a job or a node, the worst first. */
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { Fragment, type ReactNode } from 'react';
import type { Explanation, Severity } from '../../../src/protocol/explain/finding.ts';
import { hostLabel } from '../names/host-label.ts';
import { ListLink } from '../names/list-link.tsx';
import { SettingWords } from '../names/setting-words.tsx';
import { timeZone, usePreference } from '../preferences/preferences.ts';
import { explainQuery } from '../queries/explanations.ts';
import { leadTo } from '../range/range-text.ts';
import { CopyButton } from './command-line.tsx';
import { withUnbrokenSpans } from './format.ts';
import { useSettled } from './settled.ts';
import { Failure, isAsking, Loading } from './states.tsx';
import { LastsFor, Moment } from './time.tsx';

const TONES: Readonly<Record<Severity, string>> = { ok: 'good', info: 'info', warning: 'warn', critical: 'bad' };

interface FindingsProps {
  readonly kind: 'job' | 'node';
  readonly query: UseQueryResult<Explanation>;
  /** A node that the texts name: it becomes a link. */
  readonly nodeId: string | undefined;
}

function Findings({ kind, query, nodeId }: FindingsProps): ReactNode {
  const { data, error, refetch } = query;
  if (!data) return error ? <Failure error={error} what="the explanation" isSlim retry={() => void refetch()} /> : null;
  // Beside what is wrong it would be a contradiction that all is well; of a node its state has said so.
  const wrong = data.findings.filter(({ severity }) => severity !== 'ok');
  const shown = wrong.length > 0 || kind === 'node' ? wrong : data.findings;
  if (shown.length === 0 && kind === 'node') return null;
  return (
    <ul className="findings" aria-label="How it is">
      {/* A step that is not over, and takes no longer than it should. */}
      {shown.length === 0 && (
        <li className="finding finding-info">
          <FindingText text={data.summary} nodeId={nodeId} />
        </li>
      )}
      {shown.map(({ code, severity, text, remedy }) => (
        <li key={code} className={`finding finding-${TONES[severity]}`}>
          <FindingText text={text} nodeId={nodeId} />
          {remedy !== null && !HAVE_BUTTONS.has(code) && <Remedy text={onPage(remedy)} nodeId={nodeId} />}
        </li>
      ))}
    </ul>
  );
}

/** Findings whose remedy is a button of the page. */
const HAVE_BUTTONS: ReadonlySet<string> = new Set(['drained']);

/** What a command would show is on the page of the job itself, where there is any. */
function onPage(remedy: string): string {
  return remedy.replace(/^Read its output \(cairn job logs [^)]*\)\. /, '');
}

/** What is below the findings comes with them: it would be pushed down. */
export function WithFindings(props: {
  kind: 'job' | 'node';
  id: string;
  /** The node of a job. */
  nodeId?: string | undefined;
  children: ReactNode;
}): ReactNode {
  const { kind, id, nodeId, children } = props;
  const query = useQuery(explainQuery(kind, id));
  const isSettled = useSettled(isAsking(query));
  if (!isSettled) return <Loading what={`the ${kind}`} />;
  return (
    <>
      <Findings kind={kind} query={query} nodeId={nodeId} />
      {children}
    </>
  );
}

/** Times of the server's texts. */
const TIME = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/;

/** How long that takes is what is wrong with it. */
const GOES_ON = /\bin progress since $/;

interface TextProps {
  readonly text: string;
  readonly nodeId: string | undefined;
}

/** The first sentence says what is the matter; below it stands what else is to be told, with `children` at its end. */
export function FindingText({ text, nodeId, children }: TextProps & { children?: ReactNode }): ReactNode {
  const head = /^.+?[.!?](?= \p{Lu})/u.exec(text)?.[0] ?? text;
  const rest = text.slice(head.length).trim();
  return (
    <>
      <strong>
        <Sentences text={head} nodeId={nodeId} />
      </strong>{' '}
      {rest === '' && children === undefined ? null : (
        <span className="finding-more">
          <Sentences text={rest} nodeId={nodeId} /> {children}
        </span>
      )}
    </>
  );
}

/** A text of the server as a page has it: times in the reader's zone, spans on one line, the node as a link. */
function Sentences({ text, nodeId }: TextProps): ReactNode {
  const zone = usePreference(timeZone);
  const parts = text.split(TIME);
  return parts.map((part, i) => {
    // Every other part is a time.
    if (i % 2 === 1)
      return (
        <Fragment key={part}>
          <Moment at={part} />
          {GOES_ON.test(parts[i - 1] ?? '') ? (
            <>
              , <LastsFor since={part} />
            </>
          ) : null}
        </Fragment>
      );
    const next = parts[i + 1];
    const words = next === undefined ? part : leadTo(part, Date.parse(next), Date.now(), zone);
    return (
      <SettingWords
        key={part}
        text={withUnbrokenSpans(words)}
        rest={(rest) => <WithNode words={rest} nodeId={nodeId} />}
      />
    );
  });
}

function WithNode({ words, nodeId }: { words: string; nodeId: string | undefined }): ReactNode {
  const at = nodeId ? words.indexOf(`node ${nodeId}`) : -1;
  if (nodeId === undefined || at < 0) return words;
  const from = at + 'node '.length;
  return (
    <>
      {words.slice(0, from)}
      <ListLink to="/node" search={{ id: nodeId }} title={nodeId}>
        {hostLabel(nodeId)}
      </ListLink>
      {words.slice(from + nodeId.length)}
    </>
  );
}

/** As remedies name them: pages of their own, which the router does not know. */
const GUIDES: Readonly<Record<string, string>> = {
  'guide on jobs': '/docs/guide/jobs.html#why-a-save-or-a-restore-failed',
  'sizing guide': '/docs/guide/size.html',
};

/** Commands stand in brackets, or are these words. */
const MARKED = new RegExp(
  `(\\(cairn [^)]+\\)|cairn agent check|journalctl -u cairn-agent|systemctl status cairn-agent|--fresh always|${Object.keys(GUIDES).join('|')})`,
);

/** What ends a sentence or a bracket, and stays with the word before it. */
const MARKS = /^[).,:;]+/;
/** What begins one, and stays with the word after it. */
const OPENING = /\($/;

function isCommand(part: string, i: number): boolean {
  return i % 2 === 1 && GUIDES[part] === undefined;
}

/** What to do about a finding, with commands that can be told from the sentence, and copied. */
export function Remedy({ text, nodeId }: { text: string; nodeId?: string | undefined }): ReactNode {
  const parts = text.split(MARKED);
  return (
    <span className="finding-remedy">
      {parts.map((part, i) => {
        if (isCommand(part, i))
          return (
            <Command
              key={part}
              part={part}
              before={OPENING.exec(parts[i - 1] ?? '')?.[0] ?? ''}
              after={MARKS.exec(parts[i + 1] ?? '')?.[0] ?? ''}
            />
          );
        if (GUIDES[part] !== undefined)
          return (
            <a key={part} href={GUIDES[part]}>
              {part}
            </a>
          );
        const closed = isCommand(parts[i - 1] ?? '', i - 1) ? part.replace(MARKS, '') : part;
        const words = isCommand(parts[i + 1] ?? '', i + 1) ? closed.replace(OPENING, '') : closed;
        return <Sentences key={part} text={words} nodeId={nodeId} />;
      })}
    </span>
  );
}

/** What is left to the reader, after an ellipsis, is not copied. */
function Command({ part, before, after }: { part: string; before: string; after: string }): ReactNode {
  const isBracketed = part.startsWith('(');
  const line = isBracketed ? part.slice(1, -1) : part;
  return (
    <span className="inline-command">
      {before}
      {isBracketed ? '(' : null}
      <code>{line}</code>
      <CopyButton text={line.replace(/…$/, '')} what="the command" />
      {isBracketed ? ')' : null}
      {after}
    </span>
  );
}
