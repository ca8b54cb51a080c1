/**
 * Requests whose end two programs may see in two places: behind a proxy that sees another one than we do, the rest of one
 * client's body becomes the next client's request ("smuggling"). uWS 20.51.4 refuses a length beside chunks and lengths
 * that are no number, but takes the first of two lengths, and any coding that ends in "chunked" for chunks.
 *
 * A heartbeat on its fast path is not looked at: the fast path is taken only while everybody may do everything.
 */
import type { HttpRequest } from './uws.ts';

export function framesAreAmbiguous(request: Pick<HttpRequest, 'getHeader' | 'forEach'>): boolean {
  if (request.getHeader('content-length') === '') {
    const coding = request.getHeader('transfer-encoding');
    return coding !== '' && coding.trim().toLowerCase() !== 'chunked';
  }
  let lengths = 0;
  request.forEach((name) => {
    if (name === 'content-length') lengths++;
  });
  return lengths > 1;
}
