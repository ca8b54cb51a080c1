/**
 * Worker nodes that register and then beat as they are told, whatever the server does: an unanswered beat is followed by
 * the next one on a new connection, as an agent with a time-out does.
 */
import { Api } from './api.ts';

/** Interval until the server has told another. */
const FIRST_MS = 500;

export class BeatingNode {
  readonly id: string;
  /** Beats that were answered with 200. */
  answered = 0;
  /** When the last of them was sent. */
  sentMs = 0;
  /** As the last answer said. */
  toldMs = FIRST_MS;
  readonly #api: Api;
  #timer: NodeJS.Timeout | null = null;
  #isSilent = false;

  constructor(base: string, id: string) {
    this.id = id;
    this.#api = new Api(base);
  }

  async register(): Promise<void> {
    const sentMs = performance.now();
    const { status, json } = await this.#api.put(`/api/v1/node/${this.id}`, {});
    if (status !== 200) throw new Error(`${this.id} was answered ${status}`);
    this.#take(sentMs, json.nextBeatMs);
  }

  /** It sends nothing any more. */
  silence(): void {
    this.#isSilent = true;
    if (this.#timer) clearTimeout(this.#timer);
  }

  close(): void {
    this.silence();
    this.#api.close();
  }

  #plan(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      void this.#beat();
      this.#plan();
    }, this.toldMs);
  }

  async #beat(): Promise<void> {
    const sentMs = performance.now();
    const answer = await this.#api.post(`/api/v1/node/${this.id}/heartbeat`, {}).catch(() => null);
    if (answer?.status === 200) this.#take(sentMs, answer.json.nextBeatMs);
  }

  #take(sentMs: number, nextBeatMs: number): void {
    this.answered++;
    this.sentMs = Math.max(this.sentMs, sentMs);
    if (this.#isSilent) return;
    this.toldMs = nextBeatMs;
    // From now on as it is told, also where it was told to come sooner than before.
    this.#plan();
  }
}
