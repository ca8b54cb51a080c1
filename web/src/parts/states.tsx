/** What stands where an answer is missing: not yet, nothing, not for this reader, or a failure that can be tried again. */
import type { ReactNode } from 'react';
import { ApiError } from '../api/request.ts';
import { useRole } from '../queries/role.ts';
import { Icon } from './icon.tsx';

export function Loading({ what }: { what: string }): ReactNode {
  return (
    <div className="state">
      <p role="status">
        <span className="spinner" aria-hidden="true" /> Loading {what}…
      </p>
    </div>
  );
}

/** In place of a single figure: as `missingText`. */
export function Missing({ query }: { query: Pick<Asked<unknown>, 'error' | 'fetchStatus'> }): ReactNode {
  const text = missingText(query);
  return text === '–' ? (
    text
  ) : (
    <span className="pending">
      <span className="hidden">{text}</span>
    </span>
  );
}

/** In place of a figure among other words: it is asked for, or it could not be read. */
export function missingText({ error, fetchStatus }: Pick<Asked<unknown>, 'error' | 'fetchStatus'>): '…' | '–' {
  return error || fetchStatus === 'paused' ? '–' : '…';
}

/** In place of an answer that is asked for as soon as the server is back; that it is away says the bar above the page. */
export function Waiting({ what }: { what: string }): ReactNode {
  return (
    <div className="state">
      <Icon name="offline" />
      <p role="status">{what.charAt(0).toUpperCase() + what.slice(1)} will appear once the server answers.</p>
    </div>
  );
}

export function Empty({ title, children }: { title: string; children?: ReactNode }): ReactNode {
  return (
    <div className="state">
      <Icon name="empty" />
      <p className="state-title">{title}</p>
      {children}
    </div>
  );
}

interface FailureProps {
  readonly error: unknown;
  /** What could not be read, in words that follow "Could not load". */
  readonly what?: string;
  readonly retry?: () => void;
  /** In one line, where the rest of the page is there. */
  readonly isSlim?: boolean;
}

export function Failure({ error, what, retry, isSlim = false }: FailureProps): ReactNode {
  const className = isSlim ? 'state state-slim' : 'state';
  if (isDenied(error)) return <Denied className={className} what={what} reason={error.message} />;
  return (
    <div className={`${className} state-bad`} role="alert">
      <Icon name="failed" />
      {what === undefined ? null : <p className="state-title">Could not load {what}</p>}
      <p className={what === undefined ? 'state-title' : ''}>{messageOf(error)}</p>
      {retry ? (
        <button type="button" onClick={retry}>
          Try again
        </button>
      ) : null}
    </div>
  );
}

/** Whether the caller's role does not allow what was asked. */
export function isDenied(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 403;
}

/** Nothing failed, so nothing is red, and nothing can be tried again. */
function Denied(props: { className: string; what: string | undefined; reason: string }): ReactNode {
  const { className, what = 'this', reason } = props;
  return (
    <div className={className} role="alert">
      <Icon name="denied" />
      <p className="state-title">You have no access to {what}</p>
      <p>The server says: {reason}.</p>
      <AskFor wanted="a role that may see it" />
    </div>
  );
}

/** In place of what the reader's role does not show; the one form in which this is said. */
export function OnlyFor({ who, what }: { who?: 'operators'; what: string }): ReactNode {
  return (
    <div className="state">
      <Icon name="denied" />
      <p className="state-title">
        Only {who === undefined ? '' : `${who} and `}administrators can see {what}
      </p>
      <AskFor wanted={`the role ${who === undefined ? 'admin' : 'operator'}`} />
    </div>
  );
}

/** Who the reader is for the server, and whom he asks. */
function AskFor({ wanted }: { wanted: string }): ReactNode {
  const { administrator } = useRole();
  return (
    <p>
      <SignedInAs /> Ask {administrator}, for {wanted}.
    </p>
  );
}

/** A sentence; nothing where nobody is signed in. */
export function SignedInAs(): ReactNode {
  const { userName, roles } = useRole();
  return userName === '' ? null : (
    <>
      You are signed in as <strong>{userName}</strong>
      {roles.length === 0 ? '.' : `, with the role ${roles.join(' and ')}.`}
    </>
  );
}

/** In place of the values of a chart. */
export function ChartFailure({ error }: { error: Error }): ReactNode {
  // A series begins with its first sample.
  if (error instanceof ApiError && error.status === 404) return 'No values yet';
  return isDenied(error) ? (
    'You have no access to these values'
  ) : (
    <span className="bad">Could not load: {error.message}</span>
  );
}

export function messageOf(error: unknown): string {
  if (isDenied(error)) return `Your role does not allow this (${error.message}).`;
  return error instanceof Error ? error.message : String(error);
}

/** What of a query tells whether its answer is there, and why it is not. */
export interface Asked<T> {
  readonly data: T | undefined;
  readonly error: Error | null;
  /** `paused` while the server is away. */
  readonly fetchStatus?: string;
  /** Whether the answer is that of another question, until its own comes. */
  readonly isPlaceholderData?: boolean;
  /** How often it could not be read; a try that goes on has no error yet. */
  readonly errorUpdateCount?: number;
  readonly refetch?: () => unknown;
}

/** Whether the first answer is on its way; while the server is away, none is. */
export function isAsking({ isPending, fetchStatus }: { isPending: boolean; fetchStatus: string }): boolean {
  return isPending && fetchStatus !== 'paused';
}

interface Answer<T> extends Asked<T> {
  readonly refetch: () => unknown;
}

/** The answer, or its absence. An old answer stays on the page while a newer one is not available. */
export function Answered<T>(props: {
  query: Answer<T>;
  what: string;
  /** Said where the server knows no such thing. */
  missing?: ReactNode;
  children: (data: NonNullable<T>) => ReactNode;
}): ReactNode {
  const { query, what, missing, children } = props;
  if (query.data !== undefined && query.data !== null) return children(query.data);
  if (missing !== undefined && query.error instanceof ApiError && query.error.status === 404) return missing;
  if (query.error) return <Failure error={query.error} what={what} retry={() => void query.refetch()} />;
  return query.fetchStatus === 'paused' ? <Waiting what={what} /> : <Loading what={what} />;
}
