/** `scheme://host:port` as the configuration field `addr` holds it. IPv4, bracketed IPv6, and `localhost`. */
import { isIPv4, isIPv6 } from 'node:net';

export interface ServerAddress {
  readonly scheme: 'http' | 'https';
  /** Without brackets. */
  readonly host: string;
  readonly port: number;
}

/** Undefined where the text is not of the form. Port 0 (any free port) is for tests and is allowed only where asked. */
export function tryParseAddress(
  text: string,
  options: { allowPortZero: boolean } = { allowPortZero: false },
): ServerAddress | undefined {
  const parts = /^(https?):\/\/(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9.-]+):(\d{1,5})\/?$/.exec(text);
  if (!parts) return undefined;
  const scheme = parts[1] as 'http' | 'https';
  const bracketed = (parts[2] as string).startsWith('[');
  const host = bracketed ? (parts[2] as string).slice(1, -1) : (parts[2] as string);
  const port = Number(parts[3]);
  if (port > 65_535 || (port === 0 && !options.allowPortZero)) return undefined;
  const known = bracketed ? isIPv6(host) : isIPv4(host) || host === 'localhost';
  return known ? { scheme, host, port } : undefined;
}

export function formatAddress(address: ServerAddress): string {
  const host = address.host.includes(':') ? `[${address.host}]` : address.host;
  return `${address.scheme}://${host}:${address.port}`;
}

/** Every address of the machine, in one of its spellings: nobody else reaches the machine by it. */
export function isWildcard({ host }: Pick<ServerAddress, 'host'>): boolean {
  return host.includes(':') ? WILDCARDS.has(new URL(`http://[${host}]`).hostname) : host === '0.0.0.0';
}

const WILDCARDS: ReadonlySet<string> = new Set(['[::]', '[::ffff:0:0]']);
