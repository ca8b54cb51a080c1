/** What stands where an answer is missing: not yet, nothing, or a failure that can be tried again. */
import type { ReactNode } from 'react';
import { ApiError } from '../api/request.ts';

export function Loading({ what }: { what: string }): ReactNode {
  return (
    <p className="state" role="status">
      <span className="spinner" aria-hidden="true" /> Loading {what}…
    </p>
  );
}

/** In place of an answer that is asked for as soon as the server is back. */
export function Waiting({ what }: { what: string }): ReactNode {
  return (
    <p className="state" role="status">
      The server cannot be reached. The page loads {what} as soon as the server answers.
    </p>
  );
}

export function Empty({ title, children }: { title: string; children?: ReactNode }): ReactNode {
  return (
    <div className="state">
      <p className="state-title">{title}</p>
      {children}
    </div>
  );
}

export function Failure({ error, retry }: { error: unknown; retry?: () => void }): ReactNode {
  return (
    <div className="state state-bad" role="alert">
      <p className="state-title">{messageOf(error)}</p>
      {retry ? (
        <button type="button" onClick={retry}>
          Try again
        </button>
      ) : null}
    </div>
  );
}

export function messageOf(error: unknown): string {
  if (error instanceof ApiError && error.status === 403) return `Only an administrator may do this (${error.message}).`;
  return error instanceof Error ? error.message : String(error);
}

interface Answer<T> {
  readonly data: T | undefined;
  readonly error: Error | null;
  readonly refetch: () => unknown;
  /** `paused` while the server is away. */
  readonly fetchStatus?: string;
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
  if (query.error) return <Failure error={query.error} retry={() => void query.refetch()} />;
  return query.fetchStatus === 'paused' ? <Waiting what={what} /> : <Loading what={what} />;
}
