/** The header that names the next page: the call's own query with another cursor. */
import type { HttpExchange } from '../http/exchange.ts';
import { cursorOf } from './cursor.ts';

/** A relative reference: what the client called us by is known to it alone. */
export function nextLink(exchange: HttpExchange, position: Uint8Array, scope: string): readonly [string, string] {
  const query = new URLSearchParams(exchange.query);
  query.set('cursor', cursorOf(position, scope));
  return ['link', `<${exchange.path}?${query}>; rel="next"`];
}
