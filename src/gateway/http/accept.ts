/** What a client takes, by its `Accept` and `Accept-Encoding` headers (RFC 9110, 12.5). The door to negotiator. */
import Negotiator from 'negotiator';

/** Whether gzip is taken, and nothing is liked better. Without the header nothing is compressed. */
export function acceptsGzip(acceptEncoding: string): boolean {
  if (acceptEncoding === '') return false;
  const negotiator = new Negotiator({ headers: { 'accept-encoding': acceptEncoding } });
  return negotiator.encodings(['gzip', 'identity'], { preferred: ['gzip'] })[0] === 'gzip';
}

/** The one of these media types that is liked best; undefined where there is none, or no header. */
export function acceptedType(accept: string, types: readonly string[]): string | undefined {
  return accept === '' ? undefined : new Negotiator({ headers: { accept } }).mediaTypes(types)[0];
}
