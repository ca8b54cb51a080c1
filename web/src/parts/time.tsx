/** Times in the reader's zone, with UTC on hover; ages that move. */
import type { ReactNode } from 'react';
import { spanText } from '../../../src/protocol/explain/span.ts';
import { useNowMs } from './clock.ts';

const FULL = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

export function LocalTime({ at }: { at: string }): ReactNode {
  return (
    <time dateTime={at} title={`${at} (UTC)`}>
      {localText(at)}
    </time>
  );
}

export function localText(at: string): string {
  const ms = Date.parse(at);
  return Number.isNaN(ms) ? at : FULL.format(ms);
}

export function Age({ of }: { of: string }): ReactNode {
  const nowMs = useNowMs();
  return (
    <time className="number" dateTime={of} title={`${localText(of)} · ${of} (UTC)`}>
      {spanText((nowMs - Date.parse(of)) / 1000)} ago
    </time>
  );
}
