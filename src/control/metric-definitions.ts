/**
 * Which metric definitions there are: the built-in ones, those that people made, those that heartbeats brought. One that has
 * had no series for its longest retention goes, in two steps, so that no sample can come between them:
 *
 *   known ──retire──► retiring: no shard knows it any more ──forget──► gone
 *     ▲                   │
 *     └──define, keep─────┘
 */

import type { Write } from '../actors/runtime/behaviour.ts';
import { CodedError } from '../base/errors.ts';
import { BUILT_IN_DEFINITIONS, DEFINITIONS_MAX, type Definition } from '../protocol/metric.ts';
import { isDamaged } from '../store/kv/checksum.ts';
import { textKey } from '../store/kv/keys.ts';
import type { Reader } from '../store/kv/store.ts';
import type { AuditEntry } from '../store/records/audit-record.ts';
import type { ChangeAuthor } from './audit-log.ts';

export interface MetricDefinitionsHost {
  readonly reader: Reader;
  readonly nowMs: () => number;
  /** With a record of who did it in the audit log, in the same transaction. */
  readonly commit: (writes: readonly Write[], audit?: AuditEntry) => Promise<void>;
  /** Tells every shard; resolves when they know. */
  readonly publish: () => Promise<void>;
}

/** A stored definition and the time of its creation, which older servers did not store. */
interface StoredDefinition extends Definition {
  readonly sinceMs?: number;
}

export class MetricDefinitions {
  readonly #host: MetricDefinitionsHost;
  readonly #definitions: Map<string, Definition>;
  /** When each of our own was made or changed, by the wall clock; null where the store does not say. */
  readonly #since = new Map<string, number | null>();
  readonly #retiring = new Set<string>();
  #list: readonly Definition[];
  #queue: Promise<unknown> = Promise.resolve();

  constructor(host: MetricDefinitionsHost) {
    this.#host = host;
    this.#definitions = new Map(BUILT_IN_DEFINITIONS.map((definition) => [definition.id, definition]));
    host.reader.refresh();
    for (const { value } of host.reader.range('definition')) {
      if (isDamaged(value)) continue;
      const { sinceMs = null, ...definition } = JSON.parse(Buffer.from(value).toString('utf8')) as StoredDefinition;
      this.#definitions.set(definition.id, definition);
      this.#since.set(definition.id, sinceMs);
    }
    this.#list = [...this.#definitions.values()];
  }

  get list(): readonly Definition[] {
    return this.#list;
  }

  /** Durable, and known to every shard, when it resolves. Throws tooManySeries beyond the bound. */
  define(definition: Definition, onlyNew: boolean, author?: ChangeAuthor): Promise<Definition> {
    return this.#oneAtATime(() => this.#define(definition, onlyNew, author));
  }

  /** Ids of definitions of our own that are there since before the time. The first call writes down what the store lacks. */
  async madeBefore(timeMs: number): Promise<string[]> {
    await this.#oneAtATime(() => this.#writeDownTimes());
    return [...this.#since].filter(([, sinceMs]) => sinceMs !== null && sinceMs < timeMs).map(([id]) => id);
  }

  get retiring(): readonly string[] {
    return [...this.#retiring];
  }

  /** Nobody knows these any more when it resolves: no new sample of them is taken. They still count against the bound. */
  retire(ids: readonly string[]): Promise<void> {
    return this.#oneAtATime(async () => {
      for (const id of ids) if (this.#since.has(id)) this.#retiring.add(id);
      await this.#publish();
    });
  }

  /** Those of these that are still retiring are known again. */
  keep(ids: readonly string[]): Promise<void> {
    return this.#oneAtATime(async () => {
      for (const id of ids) this.#retiring.delete(id);
      await this.#publish();
    });
  }

  /** Removes those of these that are still retiring; which they are, once that is durable. */
  forget(ids: readonly string[]): Promise<string[]> {
    return this.#oneAtATime(async () => {
      const gone = ids.filter((id) => this.#retiring.has(id));
      await this.#host.commit(gone.map((id): Write => ({ table: 'definition', key: textKey(id), value: null })));
      for (const id of gone) {
        this.#retiring.delete(id);
        this.#definitions.delete(id);
        this.#since.delete(id);
      }
      return gone;
    });
  }

  #oneAtATime<T>(run: () => Promise<T>): Promise<T> {
    const turn = this.#queue.catch(() => {}).then(run);
    this.#queue = turn;
    return turn;
  }

  async #publish(): Promise<void> {
    this.#list = [...this.#definitions.values()].filter(({ id }) => !this.#retiring.has(id));
    await this.#host.publish();
  }

  async #writeDownTimes(): Promise<void> {
    const ids = [...this.#since].filter(([, sinceMs]) => sinceMs === null).map(([id]) => id);
    if (ids.length === 0) return;
    const nowMs = this.#host.nowMs();
    await this.#host.commit(ids.map((id) => definitionWrite(this.#definitions.get(id) as Definition, nowMs)));
    for (const id of ids) this.#since.set(id, nowMs);
  }

  async #define(definition: Definition, onlyNew: boolean, author?: ChangeAuthor): Promise<Definition> {
    const known = this.#definitions.get(definition.id);
    if (known && onlyNew && !this.#retiring.has(definition.id)) return known;
    if (BUILT_IN_DEFINITIONS.some(({ id }) => id === definition.id)) {
      throw new CodedError('invalid', undefined, { id: 'is a built-in definition, which cannot be changed' });
    }
    if (!known && this.#definitions.size >= DEFINITIONS_MAX) {
      throw new CodedError('tooManySeries', undefined, {
        id: `the limit of ${DEFINITIONS_MAX} metric definitions is reached`,
      });
    }
    // One that was about to go is wanted again: as it was, where a heartbeat brings it.
    const next = known && onlyNew ? known : definition;
    const { id, aggregation, unit } = next;
    const by = author && { who: author.name, from: author.from };
    const nowMs = this.#host.nowMs();
    await this.#host.commit(
      [definitionWrite(next, nowMs)],
      by && { ...by, action: 'metric.defined', target: id, detail: { aggregation, unit } },
    );
    this.#definitions.set(id, next);
    this.#since.set(id, nowMs);
    this.#retiring.delete(id);
    await this.#publish();
    return next;
  }
}

function definitionWrite(definition: Definition, sinceMs: number): Write {
  const stored: StoredDefinition = { ...definition, sinceMs };
  return { table: 'definition', key: textKey(definition.id), value: textKey(JSON.stringify(stored)) };
}
