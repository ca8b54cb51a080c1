/**
 * The service tokens that exist, on main: hashes in the table `serviceToken`, all of them in memory and with every
 * shard. Those that have expired go when the next one is made.
 */

import type { Write } from '../../actors/runtime/behaviour.ts';
import { CodedError } from '../../base/errors.ts';
import type {
  ServiceTokenMade,
  ServiceTokenRequest,
  StoredServiceToken,
} from '../../protocol/identity/service-token.ts';
import { ttlMsOf } from '../../protocol/identity/token-ttl.ts';
import { formatTimestampMs } from '../../protocol/timestamp.ts';
import { isDamaged } from '../../store/kv/checksum.ts';
import { textKey } from '../../store/kv/keys.ts';
import type { Reader } from '../../store/kv/store.ts';
import { hashOfServiceToken, newServiceToken } from './service-token.ts';

/** Each change is published to every shard with all of them, 300 bytes each. Overflow policy: refuse. */
const TOKENS_MAX = 1_000;

export class ServiceTokens {
  readonly #wallMs: () => number;
  readonly #tokens = new Map<string, StoredServiceToken>();

  constructor(reader: Reader, wallMs: () => number) {
    this.#wallMs = wallMs;
    reader.refresh();
    for (const { value } of reader.range('serviceToken')) {
      if (isDamaged(value)) continue;
      const stored = JSON.parse(Buffer.from(value).toString('utf8')) as StoredServiceToken;
      this.#tokens.set(stored.id, stored);
    }
  }

  get list(): readonly StoredServiceToken[] {
    return [...this.#tokens.values()];
  }

  find(id: string): StoredServiceToken | undefined {
    return this.#tokens.get(id);
  }

  /** `commit` makes it durable. Throws `invalid` where there are too many. */
  async make(
    { name, role, queues, ttl }: ServiceTokenRequest,
    createdBy: string,
    commit: (writes: readonly Write[], made: StoredServiceToken) => Promise<void>,
  ): Promise<ServiceTokenMade> {
    const nowMs = this.#wallMs();
    const expired = this.list.filter(({ untilMs }) => untilMs <= nowMs);
    if (this.#tokens.size - expired.length >= TOKENS_MAX)
      throw new CodedError('invalid', undefined, {
        name: `there are ${TOKENS_MAX} service tokens already: revoke some`,
      });
    const { id, token } = newServiceToken();
    const untilMs = nowMs + (ttlMsOf(ttl) as number);
    const made: StoredServiceToken = {
      id,
      name,
      role,
      queues: queues ? [...new Set(queues)] : null,
      createdAt: formatTimestampMs(nowMs),
      createdBy,
      expiresAt: formatTimestampMs(untilMs),
      hash: hashOfServiceToken(token),
      untilMs,
    };
    const removals = expired.map((one): Write => ({ table: 'serviceToken', key: textKey(one.id), value: null }));
    await commit(
      [...removals, { table: 'serviceToken', key: textKey(id), value: textKey(JSON.stringify(made)) }],
      made,
    );
    for (const one of expired) this.#tokens.delete(one.id);
    this.#tokens.set(id, made);
    return { token, id, expiresAt: made.expiresAt };
  }

  /** Throws `notFound`. */
  async revoke(
    id: string,
    commit: (writes: readonly Write[], revoked: StoredServiceToken) => Promise<void>,
  ): Promise<void> {
    const stored = this.#tokens.get(id);
    if (!stored) throw new CodedError('notFound');
    await commit([{ table: 'serviceToken', key: textKey(id), value: null }], stored);
    this.#tokens.delete(id);
  }
}
