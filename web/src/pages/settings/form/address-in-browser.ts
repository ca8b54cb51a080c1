/** Where a browser reaches a server that listens on `addr`: "all addresses" is no address to go to. Pure. */
import { tryParseAddress } from '../../../../../src/protocol/address.ts';

/** An origin without a path, e.g. `https://host:8443`. `hostName` is the one by which the server was reached before. */
export function addressInBrowser(addr: string, hostName: string): string {
  const address = tryParseAddress(addr);
  if (!address) return addr;
  const isEverywhere = address.host === '0.0.0.0' || address.host === '::';
  const host = isEverywhere ? hostName : address.host.includes(':') ? `[${address.host}]` : address.host;
  return `${address.scheme}://${host}:${address.port}`;
}
