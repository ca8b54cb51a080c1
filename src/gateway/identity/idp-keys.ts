/**
 * The provider's key set, kept on main for every shard. Known keys go on working while the provider is away, also over a
 * restart (the set is on disk); an unknown key makes us look again, within a budget that strangers with made-up key ids
 * cannot exceed.
 *
 *   known key ────────────────────────────► used, whatever the provider does
 *   unknown key ── budget ── fetched ─────► known, or "unknown" (401)
 *                    │          └ failed ─► "unreachable" (503)
 *                    └ used up: by how the last look went
 */
import type { IdentityState, IdpKeySet } from '../../protocol/identity/identity.ts';
import type { FetchKeys } from './fetch-keys.ts';
import type { KeySearch } from './provider.ts';

export interface IdpKeysHost {
  readonly fetch: FetchKeys;
  readonly monotonicMs: () => number;
  /** Keeps the set for the next start; never rejects. */
  readonly keep: (keys: IdentityState['idpKeys']) => Promise<void>;
  /** Tells every shard; resolves when they know. */
  readonly publish: () => Promise<void>;
  readonly warn: (text: string) => void;
}

/** Looks at once after another, and how long until one more is granted: a rotated key is known within 5 s at the latest. */
const LOOKS_MAX = 5;
const LOOK_EVERY_MS = 5_000;
/**
 * A key that the provider took back is forgotten after this long, and one that it changed under the same id (or without
 * an id) is known: nothing in such a token tells that there is anything to look for, and the contract grants 35 s.
 */
export const REFRESH_EVERY_MS = 25_000;

export class IdpKeys {
  readonly #host: IdpKeysHost;
  #known: IdentityState['idpKeys'];
  /** What every shard has been told; only that may be called known. */
  #told: IdentityState['idpKeys'];
  #looks = LOOKS_MAX;
  #grantedMs: number;
  #lastFailed = false;
  #looking: Promise<boolean> | undefined;

  constructor(host: IdpKeysHost, known: IdentityState['idpKeys']) {
    this.#host = host;
    this.#known = known;
    this.#told = known;
    this.#grantedMs = host.monotonicMs();
  }

  get state(): IdentityState['idpKeys'] {
    return this.#known;
  }

  /** A set that was just fetched; resolves when it is on disk and the shards know. */
  async adopt(known: IdpKeySet): Promise<void> {
    this.#known = known;
    this.#lastFailed = false;
    await this.#host.keep(known);
    await this.#host.publish();
    this.#told = known;
  }

  /** A shard saw a key id that it does not have. When it resolves with `known` the shards have been told. */
  async seek(kid: string, jwksUri: string): Promise<KeySearch> {
    if (this.#has(kid, jwksUri)) return 'known';
    if (!this.#looking && !this.#mayLook()) return this.#lastFailed ? 'unreachable' : 'unknown';
    if (!(await this.refresh(jwksUri))) return 'unreachable';
    return this.#has(kid, jwksUri) ? 'known' : 'unknown';
  }

  /** One look at a time; true where it brought a set. */
  refresh(jwksUri: string): Promise<boolean> {
    this.#looking ??= this.#look(jwksUri).finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async #look(jwksUri: string): Promise<boolean> {
    try {
      const found = { jwksUri, ...(await this.#host.fetch(jwksUri)) };
      const isNew = JSON.stringify(this.#known) !== JSON.stringify(found);
      this.#lastFailed = false;
      if (!isNew) return true;
      await this.adopt(found);
      return true;
    } catch (error) {
      if (!this.#lastFailed) this.#host.warn(`cannot fetch the identity provider’s keys: ${causeOf(error)}`);
      this.#lastFailed = true;
      return false;
    }
  }

  #has(kid: string, jwksUri: string): boolean {
    return this.#told?.jwksUri === jwksUri && this.#told.keys.some((key) => key['kid'] === kid);
  }

  #mayLook(): boolean {
    const nowMs = this.#host.monotonicMs();
    const granted = Math.floor((nowMs - this.#grantedMs) / LOOK_EVERY_MS);
    this.#grantedMs += granted * LOOK_EVERY_MS;
    this.#looks = Math.min(LOOKS_MAX, this.#looks + granted);
    if (this.#looks === 0) return false;
    this.#looks--;
    return true;
  }
}

/** Why no key set came, for a person; addresses, no content. */
export function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error instanceof SyntaxError ? 'the answer is not JSON' : error.message;
}
