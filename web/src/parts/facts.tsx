/** Names and values; what is not known is left out. */
import type { ReactNode } from 'react';
import { LongId } from '../names/long-id.tsx';
import { CopyButton } from './command-line.tsx';

interface FactsProps {
  readonly facts: readonly (readonly [string, ReactNode])[];
  /** Columns wide enough for an id of 36 characters. */
  readonly isWide?: boolean;
}

export function Facts({ facts, isWide = false }: FactsProps): ReactNode {
  return (
    <dl className={isWide ? 'facts facts-wide' : 'facts'}>
      {facts
        .filter(([, value]) => value !== undefined && value !== null && value !== '')
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

/** An id on one line, cut in its middle where there is no room for it, with a button that copies the whole. */
export function CopiedId({ id, what }: { id: string; what: string }): ReactNode {
  return (
    <span className="copied-id" title={id}>
      <LongId id={id} />
      <CopyButton text={id} what={what} />
    </span>
  );
}

/** One of a line of them, see `.fact-line`. */
export function Fact({ name, children }: { name: string; children: ReactNode }): ReactNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
