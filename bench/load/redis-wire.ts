/** Redis commands as bytes, and the end of its answers. Only what `SET` needs. */
import type { OnAnswer, Scanner } from './scanner.ts';

/** What a record of ours takes on disk, rounded: facts and state of a node. */
const VALUE = 'v'.repeat(400);
const TTL_SECONDS = '300';
const ANSWER = '+OK\r\n';

export function setCommand(key: string): Buffer {
  const parts = ['SET', key, VALUE, 'EX', TTL_SECONDS];
  return Buffer.from(`*${parts.length}\r\n${parts.map((part) => `$${part.length}\r\n${part}\r\n`).join('')}`);
}

/** Each complete `+OK` is an answer; anything else is an error of Redis and ends the count. */
export function redisScanner(onAnswer: OnAnswer): Scanner {
  let bytes = 0;
  return (chunk) => {
    if (chunk.includes('-')) {
      onAnswer(500, false, -1);
      return;
    }
    bytes += chunk.byteLength;
    for (; bytes >= ANSWER.length; bytes -= ANSWER.length) onAnswer(200, false, -1);
  };
}
