/**
 * What the protocol takes from `node:net`, for the browser: `src/protocol/address.ts` asks whether a host is an IP address.
 * A shortened IPv6 address is checked by the browser's own URL parser.
 */
export function isIPv4(text: string): boolean {
  const parts = text.split('.');
  return parts.length === 4 && parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255);
}

export function isIPv6(text: string): boolean {
  return /^[0-9a-fA-F:.]+$/.test(text) && text.includes(':') && URL.canParse(`http://[${text}]/`);
}
