/** Takes what a socket receives and finds where answers end. */
export type Scanner = (chunk: Buffer) => void;

/** `seq` is the answer's own, where it carries one, else -1: then it belongs to the oldest message in flight. */
export type OnAnswer = (status: number, retryAfter: boolean, seq: number) => void;

const UNKNOWN = Buffer.from('unknown');
const JSON_EMPTY = Buffer.from('":[]');
const MSGPACK_EMPTY = 0x90;

/** True for a batch's reply that names nodes which the server does not know: the load's own fault, never to be counted. */
export function namesUnknown(body: Buffer): boolean {
  const at = body.indexOf(UNKNOWN);
  if (at < 0) return false;
  const after = at + UNKNOWN.byteLength;
  return (
    body[after] !== MSGPACK_EMPTY && body.compare(JSON_EMPTY, 0, 4, after, Math.min(after + 4, body.byteLength)) !== 0
  );
}
