/**
 * A WebSocket client's bytes without a library: the upgrade, masked frames made beforehand, and the server's frames.
 *
 * Only what heartbeats need of RFC 6455: no extensions, no fragments from either side.
 */
import { namesUnknown, type OnAnswer, type Scanner } from './scanner.ts';

/** Any key will do for a peer that trusts us; the server must unmask all the same. */
const MASK = [0x37, 0xfa, 0x21, 0x3d] as const;
const FIN = 0x80;
const MASKED = 0x80;
const TEXT = 1;
const BINARY = 2;
const CLOSE = 8;
const PING = 9;
const PONG = 10;

export function upgradeRequest(path: string, host: string, subprotocol: string): Buffer {
  return Buffer.from(
    `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
      `Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: ${subprotocol}\r\n\r\n`,
  );
}

export function maskedFrame(payload: Uint8Array, isText: boolean): Buffer {
  return frame(isText ? TEXT : BINARY, payload);
}

function frame(opcode: number, payload: Uint8Array): Buffer {
  const size = payload.byteLength;
  const extra = size < 126 ? 0 : size < 65_536 ? 2 : 8;
  const bytes = Buffer.allocUnsafe(6 + extra + size);
  bytes[0] = FIN | opcode;
  bytes[1] = MASKED | (extra === 0 ? size : extra === 2 ? 126 : 127);
  if (extra === 2) bytes.writeUInt16BE(size, 2);
  if (extra === 8) bytes.writeBigUInt64BE(BigInt(size), 2);
  const maskAt = 2 + extra;
  bytes.set(MASK, maskAt);
  for (let i = 0; i < size; i++) bytes[maskAt + 4 + i] = (payload[i] as number) ^ (MASK[i & 3] as number);
  return bytes;
}

export interface WebSocketEvents {
  readonly onOpen: () => void;
  /** A sentence: the upgrade was refused, or the server closed. */
  readonly onRefused: (reason: string) => void;
  readonly onAnswer: OnAnswer;
  /** Bytes that the protocol obliges us to send: pongs. */
  readonly send: (bytes: Buffer) => void;
}

export function webSocketScanner(path: string, { onOpen, onRefused, onAnswer, send }: WebSocketEvents): Scanner {
  let rest: Buffer = Buffer.alloc(0);
  let isOpen = false;
  const takeHead = (): boolean => {
    const end = rest.indexOf('\r\n\r\n');
    if (end < 0) return false;
    const status = rest.toString('latin1', 9, 12);
    rest = rest.subarray(end + 4);
    if (status !== '101') {
      onRefused(`the server refuses the upgrade to WebSocket at ${path}: it answered HTTP ${status}, want 101`);
      return false;
    }
    isOpen = true;
    onOpen();
    return true;
  };
  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    if (!isOpen && !takeHead()) return;
    for (;;) {
      const { opcode, from, end } = frameOf(rest);
      if (rest.byteLength < end) return;
      const payload = rest.subarray(from, end);
      rest = rest.subarray(end);
      if (opcode === TEXT || opcode === BINARY) takeMessage(payload, opcode === TEXT, onAnswer);
      else if (opcode === PING) send(frame(PONG, payload));
      else if (opcode === CLOSE) onRefused(`the server closed the WebSocket with code ${closeCodeOf(payload)}`);
    }
  };
}

/** Where the first frame's payload lies; `end` is infinite while its head is not complete. Servers do not mask. */
function frameOf(bytes: Buffer): { opcode: number; from: number; end: number } {
  const short = (bytes[1] ?? 0) & 0x7f;
  const from = short < 126 ? 2 : short === 126 ? 4 : 10;
  if (bytes.byteLength < from) return { opcode: 0, from, end: Number.POSITIVE_INFINITY };
  const size = short < 126 ? short : short === 126 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
  return { opcode: (bytes[0] as number) & 0x0f, from, end: from + size };
}

function closeCodeOf(payload: Buffer): string {
  return payload.byteLength >= 2 ? `${payload.readUInt16BE(0)} (${payload.toString('utf8', 2)})` : 'none';
}

/** A reply, an error in the contract's form, or a push. Pushes carry neither `accepted` nor `statusCode` and are no answers. */
function takeMessage(payload: Buffer, isText: boolean, onAnswer: OnAnswer): void {
  const seq = numberAfter(payload, 'seq', isText) ?? -1;
  if (payload.includes('accepted')) {
    onAnswer(namesUnknown(payload) ? 404 : 200, false, seq);
    return;
  }
  const status = numberAfter(payload, 'statusCode', isText);
  if (status !== undefined) onAnswer(status, payload.includes('etryAfter'), seq);
}

/** The unsigned number after a key, in JSON or MessagePack; scanning costs less than parsing what nobody reads. */
export function numberAfter(payload: Buffer, key: string, isText: boolean): number | undefined {
  const found = payload.indexOf(isText ? `"${key}":` : String.fromCharCode(0xa0 | key.length) + key, 0, 'latin1');
  if (found < 0) return undefined;
  const at = found + key.length + (isText ? 3 : 1);
  if (isText) return Number.parseInt(payload.toString('latin1', at, at + 16), 10);
  const tag = payload[at] as number;
  if (tag < 0x80) return tag;
  if (tag === 0xcc) return payload[at + 1];
  if (tag === 0xcd) return payload.readUInt16BE(at + 1);
  if (tag === 0xce) return payload.readUInt32BE(at + 1);
  return tag === 0xcb ? payload.readDoubleBE(at + 1) : undefined;
}
