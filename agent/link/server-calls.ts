/** The agent's calls that are no heartbeats, with the token of the moment; on the way out there is an end to all of them. */
import type { Client, ClientRequest } from './client.ts';
import { type Outcome, outcomeOf, type Reply } from './outcome.ts';
import type { Tokens } from './tokens.ts';

export interface ServerCallsParts {
  readonly client: Pick<Client, 'call'>;
  readonly tokens: Pick<Tokens, 'current'>;
  readonly nodeId: string;
  readonly monotonicMs: () => number;
}

const UPLOAD_DEADLINE_MS = 60_000;
const CONFIG_DEADLINE_MS = 10_000;

export class ServerCalls {
  readonly #parts: ServerCallsParts;
  /** Monotonic: no call may last longer. */
  endMs = Number.POSITIVE_INFINITY;

  constructor(parts: ServerCallsParts) {
    this.#parts = parts;
  }

  call(request: Omit<ClientRequest, 'token'>): Promise<Reply> {
    const { client, tokens } = this.#parts;
    return client.call({ ...request, deadlineMs: this.within(request.deadlineMs), token: tokens.current });
  }

  within(deadlineMs: number): number {
    return Math.min(deadlineMs, Math.max(1, this.endMs - this.#parts.monotonicMs()));
  }

  /** Appends at an offset of the server's log; `cut` first cuts it to there. */
  async postLog(path: string, offset: number, bytes: Uint8Array, cut = false): Promise<Outcome> {
    const segments = path.slice(1).split('/').map(encodeURIComponent).join('/');
    const query = `offset=${offset}${cut ? '&cut=true' : ''}`;
    return outcomeOf(
      await this.call({
        method: 'POST',
        path: `/api/v1/nodes/${encodeURIComponent(this.#parts.nodeId)}/files/${segments}?${query}`,
        body: bytes,
        type: 'application/octet-stream',
        deadlineMs: UPLOAD_DEADLINE_MS,
      }),
    );
  }

  async config(): Promise<Outcome> {
    return outcomeOf(await this.call({ method: 'GET', path: '/api/v1/config', deadlineMs: CONFIG_DEADLINE_MS }));
  }

  async deregister(deadlineMs: number): Promise<Outcome> {
    const path = `/api/v1/node/${encodeURIComponent(this.#parts.nodeId)}`;
    return outcomeOf(await this.call({ method: 'DELETE', path, deadlineMs }));
  }
}
