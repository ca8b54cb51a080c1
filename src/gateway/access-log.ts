/** One JSON line a request. Lines of some milliseconds go to main together; main alone writes the file. */
import type { Call, CallEnd } from './call.ts';

/** Lines wait at most this long, and at most so many characters, before they are handed on. */
const FLUSH_MS = 100;
const FLUSH_SIZE = 65_536;
const URL_LENGTH_MAX = 1_024;
const AGENT_LENGTH_MAX = 128;

export class AccessLog {
  readonly #send: (lines: string) => void;
  #lines = '';
  #timer: NodeJS.Timeout | undefined;

  constructor(send: (lines: string) => void) {
    this.#send = send;
  }

  add(call: Call, { status, bytes }: CallEnd, nowWallMs: number, durationMs: number): void {
    const url = call.rawQuery === '' ? call.path : `${call.path}?${withoutSecrets(call.rawQuery)}`;
    const agent = call.headers['user-agent'];
    this.#lines +=
      `{"time":"${new Date(nowWallMs).toISOString()}","remote":"${call.remote}","user":${JSON.stringify(call.principal.name)},` +
      `"method":${JSON.stringify(call.method.slice(0, 16))},"url":${JSON.stringify(url.slice(0, URL_LENGTH_MAX))},"status":${status},` +
      `"bytes":${bytes},"ms":${durationMs.toFixed(3)}${agent === '' ? '' : `,"agent":${JSON.stringify(agent.slice(0, AGENT_LENGTH_MAX))}`}}\n`;
    if (this.#lines.length >= FLUSH_SIZE) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), FLUSH_MS);
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#lines === '') return;
    const lines = this.#lines;
    this.#lines = '';
    this.#send(lines);
  }
}

/** Tokens belong into a header; one that somebody put into an address all the same must not be written down. */
const SECRET =
  /((?:^|&)[^=&]*(?:token|secret|password|credential|signature|accesskey|authorization|jwt)[^=&]*=)[^&]*/gi;

export function withoutSecrets(query: string): string {
  return query.includes('=') ? query.replace(SECRET, '$1***') : query;
}
