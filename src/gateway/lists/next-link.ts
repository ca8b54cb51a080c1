/** The header that names the next page: the call's own query with another cursor. */
import type { Call } from '../http/exchange.ts';
import { cursorOf } from './cursor.ts';

/** A relative reference: what the client called us by is known to it alone. */
export function nextLink(call: Call, position: Uint8Array, scope: string): readonly [string, string] {
  const query = new URLSearchParams(call.query);
  query.set('cursor', cursorOf(position, scope));
  return ['link', `<${call.path}?${query}>; rel="next"`];
}
