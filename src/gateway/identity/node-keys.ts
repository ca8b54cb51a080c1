/**
 * The server's own signing keys, `<data-dir>/keys/node-token.json` (mode 0600), and what was revoked. The newest key signs;
 * earlier ones are kept without their private part, so that their tokens run out instead of failing.
 */

import { randomUUID } from 'node:crypto';
import { chmod, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exportJWK, generateKeyPair } from 'jose';
import type { Write } from '../../actors/runtime/behaviour.ts';
import { CodedError } from '../../base/errors.ts';
import type { PublicJwk } from '../../protocol/identity/identity.ts';
import { TOKEN_TTL_MS_MAX } from '../../protocol/identity/token-ttl.ts';
import { writeFileDurably } from '../../store/files/durable-file.ts';
import { makeFolders } from '../../store/files/folders.ts';
import { isDamaged } from '../../store/kv/checksum.ts';
import { textKey } from '../../store/kv/keys.ts';
import type { Reader } from '../../store/kv/store.ts';
import { signNodeToken } from './node-token.ts';

export interface NodeKeysHost {
  readonly keysFolder: string;
  readonly serverId: string;
  readonly reader: Reader;
  readonly wallMs: () => number;
}

type Key = PublicJwk & { readonly kid: string };

/** Keys that are kept. With the ninth the oldest goes, and its tokens with it. */
const KEYS_MAX = 8;
/** Revocations that are kept. Beyond it a revocation is refused; a new key that revokes the old ones ends them all. */
const REVOCATIONS_MAX = 10_000;

export class NodeKeys {
  readonly #host: NodeKeysHost;
  readonly #path: string;
  readonly #revoked = new Map<string, number>();
  #keys: readonly Key[] = [];

  private constructor(host: NodeKeysHost) {
    this.#host = host;
    this.#path = join(host.keysFolder, 'node-token.json');
  }

  /** Makes the first key at the first start. Throws a sentence for the operator where the file cannot be used. */
  static async open(host: NodeKeysHost): Promise<NodeKeys> {
    await makeFolders(host.keysFolder, 0o700);
    await chmod(host.keysFolder, 0o700);
    const keys = new NodeKeys(host);
    keys.#keys = await keys.#read();
    if (keys.#keys.length === 0) await keys.rotate(false, async () => {});
    host.reader.refresh();
    for (const { key, value } of host.reader.range('revocation')) {
      // When it was is not known: what was issued before this start is not valid, and the node registers again.
      const revokedMs = isDamaged(value) ? host.wallMs() : Number(Buffer.from(value).toString('utf8'));
      keys.#revoked.set(nameIn(key), revokedMs);
    }
    return keys;
  }

  get publicKeys(): readonly PublicJwk[] {
    return this.#keys.map(publicPart);
  }

  get revoked(): readonly (readonly [string, number])[] {
    return [...this.#revoked];
  }

  /** The token and its end (wall clock, ms). */
  async issue(nodeId: string | null, ttlMs: number, isRenewable: boolean): Promise<{ token: string; untilMs: number }> {
    // After its own revocation, also where both fall into one millisecond.
    const issuedMs = Math.max(this.#host.wallMs(), (this.#revoked.get(nodeId ?? '') ?? 0) + 1);
    const untilMs = issuedMs + ttlMs;
    const token = await signNodeToken(
      { nodeId, isRenewable, issuedMs, untilMs },
      this.#host.serverId,
      this.#keys[0] as Key,
    );
    return { token, untilMs };
  }

  /** Signs with a new key from now on; it is on disk when this resolves. `commit` makes the record of it durable. */
  async rotate(
    revokeOld: boolean,
    commit: (writes: readonly Write[], keyId: string) => Promise<void>,
  ): Promise<string> {
    const { privateKey } = await generateKeyPair('ES256', { extractable: true });
    const kid = randomUUID();
    const made: Key = { ...(await exportJWK(privateKey)), kid, alg: 'ES256', use: 'sig' };
    const earlier = revokeOld ? [] : this.#keys.map(publicPart).slice(0, KEYS_MAX - 1);
    // What is left of revocations goes with the keys whose tokens they were about.
    const over = revokeOld ? [...this.#revoked.keys()] : [];
    await this.#keep([made, ...earlier]);
    await commit(over.map(removalOf), kid);
    for (const name of over) this.#revoked.delete(name);
    return kid;
  }

  /** Tokens of the node (null: join tokens) issued so far end now; `commit` makes it durable. */
  async revoke(nodeId: string | null, commit: (writes: readonly Write[]) => Promise<void>): Promise<number> {
    const name = nodeId ?? '';
    const throughMs = this.#host.wallMs();
    const over = this.#over(throughMs);
    if (!this.#revoked.has(name) && this.#revoked.size - over.length >= REVOCATIONS_MAX) {
      throw new CodedError(
        'overloaded',
        `there are ${REVOCATIONS_MAX} revocations already; POST /api/v1/security/nodeKey with revokeOld ends all tokens`,
      );
    }
    await commit([
      ...over.map(removalOf),
      { table: 'revocation', key: revocationKey(name), value: textKey(String(throughMs)) },
    ]);
    for (const name of over) this.#revoked.delete(name);
    this.#revoked.set(name, throughMs);
    return throughMs;
  }

  async #keep(keys: readonly Key[]): Promise<void> {
    await writeFileDurably(this.#path, `${JSON.stringify(keys, null, 2)}\n`, 0o600);
    this.#keys = keys;
  }

  /** Revocations of tokens that have all ended by themselves. */
  #over(nowMs: number): string[] {
    return [...this.#revoked].filter(([, ms]) => ms + TOKEN_TTL_MS_MAX < nowMs).map(([name]) => name);
  }

  async #read(): Promise<readonly Key[]> {
    let text: string;
    try {
      text = await readFile(this.#path, 'utf8');
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT') return [];
      throw new Error(`cannot read ${this.#path}: ${code}`);
    }
    const keys = tryParse(text);
    const [signing] = Array.isArray(keys) ? (keys as (Partial<Key> | undefined)[]) : [];
    if (typeof signing?.kid === 'string' && typeof signing['d'] === 'string') return keys as Key[];
    throw new Error(`cannot read ${this.#path}: it is not a list of keys; move it away to start with a new one`);
  }
}

function publicPart({ d: _, ...rest }: Key): Key {
  return rest as Key;
}

function removalOf(name: string): Write {
  return { table: 'revocation', key: revocationKey(name), value: null };
}

/** An LMDB key is not empty, and join tokens have no node. */
function revocationKey(name: string): Uint8Array {
  return textKey(`=${name}`);
}

function nameIn(key: Uint8Array): string {
  return Buffer.from(key).toString('utf8').slice(1);
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
