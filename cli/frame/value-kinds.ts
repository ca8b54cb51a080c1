/** What values of flags look like, checked before a server is asked. */
import { tryParseDuration } from '../../src/protocol/duration.ts';
import { tryParseTimestamp } from '../../src/protocol/timestamp.ts';
import type { ValueKind } from './spec.ts';

/** Why the text is none of that kind; undefined if it is one. */
export function faultOfValue(kind: ValueKind, text: string): string | undefined {
  switch (kind) {
    case 'count':
      return /^\d{1,15}$/.test(text) ? undefined : 'want a whole number';
    case 'duration':
      return (tryParseDuration(text) ?? 0n) > 0n ? undefined : 'want a duration such as 30s, 5m or 1h30m';
    case 'time':
      return tryParseTimestamp(text) === undefined ? 'want a time such as 2026-01-31T12:00:00Z' : undefined;
    case 'url':
      return text.split(',').every((one) => isServerUrl(one.trim()))
        ? undefined
        : 'want http://host:port or https://host:port, several of a cluster separated by commas';
  }
}

function isServerUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && /^https?:$/.test(url.protocol) && url.hostname !== '' && url.search === '';
}
