/** Takes what the stream has, in order, and begins again behind the last message wherever the engine breaks off. */
import type { Engine, Following } from './engine.ts';
import type { Group } from './history.ts';
import type { Intake } from './intake.ts';

export interface FollowerHost {
  /** A message of this number is in the stream. */
  heard(sequence: number): void;
  apply(group: Group): Promise<void>;
}

export class StreamFollower {
  readonly #engine: Pick<Engine, 'follow'>;
  readonly #intake: Intake;
  readonly #host: FollowerHost;
  #following: Following | null = null;
  /** What could not be taken or applied: nothing comes after it. */
  #fault: { readonly error: unknown } | null = null;

  constructor(engine: Pick<Engine, 'follow'>, intake: Intake, host: FollowerHost) {
    this.#engine = engine;
    this.#intake = intake;
    this.#host = host;
  }

  /** To be called again and again. Throws what prevents going on. */
  async keep(): Promise<void> {
    if (this.#fault) throw this.#fault.error;
    if (this.#following) return;
    const following = await this.#engine.follow(this.#intake.sequence + 1, (sequence, bytes) =>
      this.#take(sequence, bytes),
    );
    this.#following = following;
    const over = (): void => {
      if (this.#following === following) this.#following = null;
    };
    following.ended.then(over, over);
  }

  /** When it resolves, nothing is being applied. Throws what prevents going on. */
  async stop(): Promise<void> {
    const following = this.#following;
    following?.stop();
    await following?.ended.catch(() => {});
    if (this.#fault) throw this.#fault.error;
  }

  async #take(sequence: number, bytes: Uint8Array): Promise<void> {
    try {
      this.#host.heard(sequence);
      const group = this.#intake.take(sequence, bytes);
      if (group) await this.#host.apply(group);
    } catch (error) {
      this.#fault ??= { error };
      throw error;
    }
  }
}
