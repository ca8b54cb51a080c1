/**
 * Identity on main: the provider's keys, the server's own keys, node tokens and revocations, and the check of new provider
 * settings. Shards get what they need of it as `IdentityState` with every publication.
 */
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Write } from '../../actors/runtime/behaviour.ts';
import type { Clock } from '../../base/clock.ts';
import { CodedError } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import type { ChangeAuthor } from '../../control/audit-log.ts';
import type { Config } from '../../protocol/config/config.ts';
import type { IdpEnable, ProviderEnable } from '../../protocol/config/idp.ts';
import type { IdentityState, IdpKeySet, NodeToken, NodeTokenRequest } from '../../protocol/identity/identity.ts';
import type { ServiceTokenMade, ServiceTokenRequest } from '../../protocol/identity/service-token.ts';
import { ttlMsOf } from '../../protocol/identity/token-ttl.ts';
import { formatTimestampMs } from '../../protocol/timestamp.ts';
import { writeFileDurably } from '../../store/files/durable-file.ts';
import { makeFolders } from '../../store/files/folders.ts';
import type { Reader } from '../../store/kv/store.ts';
import type { AuditEntry } from '../../store/records/audit-record.ts';
import { fetchKeys, publicKeysOf } from './fetch-keys.ts';
import { IdpKeys, REFRESH_EVERY_MS } from './idp-keys.ts';
import { checkedIdp, checkedProvider } from './idp-setup.ts';
import { NodeKeys } from './node-keys.ts';
import type { KeySearch } from './provider.ts';
import { type Environment, idpTarget, mustBeProviderEnvironment } from './provider.ts';
import { ServiceTokens } from './service-tokens.ts';

export interface IdentityHost {
  readonly dataFolder: string;
  readonly reader: Reader;
  readonly clock: Clock;
  readonly log: Logger;
  readonly env: Environment;
  readonly config: () => Config;
  /** The writes and the record of them are one transaction. */
  readonly commit: (entry: AuditEntry, writes: readonly Write[]) => Promise<void>;
  readonly publish: () => Promise<void>;
}

interface KeptKeys {
  readonly keysFolder: string;
  readonly known: IdentityState['idpKeys'];
  readonly positionKey: string;
}

/** What a join brings: long enough for a node to be away over a long weekend and more, renewed at half of it. */
const OWN_TOKEN_TTL_MS = 720 * 3_600_000;

/** What is to be stored, and what to say of it. */
interface CheckedSettings {
  readonly settings: Config['security']['idp'];
  readonly warnings: readonly string[];
}

export class Identity {
  readonly #host: IdentityHost;
  readonly #nodeKeys: NodeKeys;
  readonly #idpKeys: IdpKeys;
  readonly #serviceTokens: ServiceTokens;
  readonly #positionKey: string;
  readonly #timer: NodeJS.Timeout;
  #queue: Promise<unknown> = Promise.resolve();

  /** Throws a sentence for the operator where keys or the environment cannot be used. */
  static async open(host: IdentityHost): Promise<Identity> {
    mustBeProviderEnvironment(host.env);
    const keysFolder = join(host.dataFolder, 'keys');
    const { reader, clock } = host;
    const wallMs = (): number => clock.wallMs();
    const nodeKeys = await NodeKeys.open({ keysFolder, serverId: host.config().id, reader, wallMs });
    const known = await readKnownKeys(keysFolder);
    return new Identity(host, nodeKeys, { keysFolder, known, positionKey: await readPositionKey(keysFolder) });
  }

  private constructor(host: IdentityHost, nodeKeys: NodeKeys, { keysFolder, known, positionKey }: KeptKeys) {
    this.#host = host;
    this.#positionKey = positionKey;
    this.#nodeKeys = nodeKeys;
    this.#serviceTokens = new ServiceTokens(host.reader, () => host.clock.wallMs());
    this.#idpKeys = new IdpKeys(
      {
        fetch: fetchKeys,
        monotonicMs: () => host.clock.monotonicMs(),
        keep: (keys) => keepKnownKeys(keysFolder, keys, host.log),
        publish: host.publish,
        warn: (text) => host.log.warn({ kind: 'environment' }, text),
      },
      known,
    );
    this.#timer = setInterval(() => this.#refresh(), REFRESH_EVERY_MS).unref();
    this.#refresh();
  }

  get state(): IdentityState {
    return {
      idpKeys: this.#idpKeys.state,
      nodeKeys: this.#nodeKeys.publicKeys,
      revoked: this.#nodeKeys.revoked,
      serviceTokens: this.#serviceTokens.list,
      positionKey: this.#positionKey,
    };
  }

  /** The configuration's part for these settings, after everything was checked; throws `invalid` with the reasons. */
  async checked(settings: IdpEnable | ProviderEnable): Promise<CheckedSettings> {
    const { env, clock, log } = this.#host;
    const { idp, keySet, warning } = await ('issuer' in settings
      ? checkedProvider(settings, env, clock.wallMs())
      : checkedIdp(settings, env, clock.wallMs()));
    if (warning !== undefined) log.warn({ kind: 'environment' }, warning);
    await this.#idpKeys.adopt(keySet);
    return { settings: idp, warnings: warning === undefined ? [] : [warning] };
  }

  seekIdpKey(kid: string): Promise<KeySearch> {
    return this.#idpKeys.seek(kid, this.#jwksUri);
  }

  makeNodeToken({ nodeId, ttl }: NodeTokenRequest, author: ChangeAuthor): Promise<NodeToken> {
    return this.#oneAtATime(async () => {
      const { token, untilMs } = await this.#nodeKeys.issue(nodeId ?? null, ttlMsOf(ttl) as number, false);
      const expiresAt = formatTimestampMs(untilMs);
      await this.#audit(author, 'nodeToken.made', targetOf(nodeId ?? null), { expiresAt }, []);
      return { token, expiresAt };
    });
  }

  /** The token of a node that has just joined, or that renews the one it got so. */
  async ownNodeToken(nodeId: string): Promise<string> {
    return (await this.#nodeKeys.issue(nodeId, OWN_TOKEN_TTL_MS, true)).token;
  }

  /** Null: join tokens. The time up to which they are revoked. */
  revokeNodeTokens(nodeId: string | null, author: ChangeAuthor): Promise<string> {
    return this.#oneAtATime(async () => {
      const throughMs = await this.#nodeKeys.revoke(nodeId, (writes) =>
        this.#audit(author, 'nodeToken.revoked', targetOf(nodeId), {}, writes),
      );
      await this.#host.publish();
      return formatTimestampMs(throughMs);
    });
  }

  rotateNodeKey(revokeOld: boolean, author: ChangeAuthor): Promise<string> {
    return this.#oneAtATime(async () => {
      const kid = await this.#nodeKeys.rotate(revokeOld, (writes, keyId) =>
        this.#audit(author, 'nodeKey.rotated', keyId, { revokeOld }, writes),
      );
      await this.#host.publish();
      return kid;
    });
  }

  /** Throws `invalid` while the provider is off: nobody is asked for a token then. */
  makeServiceToken(request: ServiceTokenRequest, author: ChangeAuthor): Promise<ServiceTokenMade> {
    return this.#oneAtATime(async () => {
      if (!this.#host.config().security.idp.enabled)
        throw new CodedError('invalid', undefined, {
          body: 'service tokens need the identity provider: enable it first',
        });
      const made = await this.#serviceTokens.make(
        request,
        author.name,
        (writes, { id, name, role, queues, expiresAt }) =>
          this.#audit(author, 'serviceToken.made', `service token ${id}`, { name, role, queues, expiresAt }, writes),
      );
      await this.#host.publish();
      return made;
    });
  }

  /** Throws `notFound`. Every shard knows it when this resolves. */
  revokeServiceToken(id: string, author: ChangeAuthor): Promise<void> {
    return this.#oneAtATime(async () => {
      await this.#serviceTokens.revoke(id, (writes, { name }) =>
        this.#audit(author, 'serviceToken.revoked', `service token ${id}`, { name }, writes),
      );
      await this.#host.publish();
    });
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  get #jwksUri(): string {
    return idpTarget(this.#host.config().security.idp, this.#host.env).jwksUri;
  }

  #refresh(): void {
    if (this.#host.config().security.idp.enabled) void this.#idpKeys.refresh(this.#jwksUri);
  }

  #audit(
    author: ChangeAuthor,
    action: string,
    target: string,
    detail: AuditEntry['detail'],
    writes: readonly Write[],
  ): Promise<void> {
    return this.#host.commit({ who: author.name, from: author.from, action, target, detail }, writes);
  }

  #oneAtATime<T>(run: () => Promise<T>): Promise<T> {
    const turn = this.#queue.catch(() => {}).then(run);
    this.#queue = turn;
    return turn;
  }
}

function targetOf(nodeId: string | null): string {
  return nodeId === null ? 'join' : `node ${nodeId}`;
}

/** Made at the first start. Readers who come with a position of another key are told that it is none. */
async function readPositionKey(keysFolder: string): Promise<string> {
  const path = join(keysFolder, 'position.key');
  const stored = await readFile(path, 'utf8').catch(() => '');
  if (/^[A-Za-z0-9_-]{22}$/.test(stored.trim())) return stored.trim();
  const made = randomBytes(16).toString('base64url');
  await writeFileDurably(path, `${made}\n`, 0o600);
  return made;
}

function knownKeysFile(keysFolder: string): string {
  return join(keysFolder, 'provider-keys.json');
}

/** Public keys only. A file that cannot be read costs a fetch, not the start. */
async function readKnownKeys(keysFolder: string): Promise<IdentityState['idpKeys']> {
  try {
    const stored = JSON.parse(await readFile(knownKeysFile(keysFolder), 'utf8')) as Partial<IdpKeySet>;
    const { jwksUri, endpoints } = stored;
    const keys = publicKeysOf(stored);
    if (typeof jwksUri !== 'string' || keys.length === 0) return null;
    return { jwksUri, keys, ...(endpoints === undefined ? {} : { endpoints }) };
  } catch {
    return null;
  }
}

async function keepKnownKeys(keysFolder: string, keys: IdentityState['idpKeys'], log: Logger): Promise<void> {
  try {
    await makeFolders(keysFolder, 0o700);
    await writeFileDurably(knownKeysFile(keysFolder), `${JSON.stringify(keys)}\n`, 0o600);
  } catch (error) {
    log.warn({ kind: 'environment', error }, 'cannot save the identity provider’s keys for the next start');
  }
}
