/** Which metric definitions there are: the built-in ones, those that people made, those that heartbeats brought. */
import { CodedError } from '../../base/errors.ts';
import { BUILT_IN_DEFINITIONS, DEFINITIONS_MAX, type Definition } from '../../protocol/metric.ts';
import type { AuditEntry } from '../../store/audit-record.ts';
import { textKey } from '../../store/keys.ts';
import type { Reader } from '../../store/store.ts';
import type { Write } from '../runtime/behaviour.ts';
import type { ChangeAuthor } from '../settings/settings.ts';

export interface CatalogueHost {
  readonly reader: Reader;
  /** With a record of who did it in the audit log, in the same transaction. */
  readonly commit: (writes: readonly Write[], audit?: AuditEntry) => Promise<void>;
  /** Tells every shard; resolves when they know. */
  readonly publish: () => Promise<void>;
}

export class Catalogue {
  readonly #host: CatalogueHost;
  readonly #definitions: Map<string, Definition>;
  #list: readonly Definition[];
  #queue: Promise<unknown> = Promise.resolve();

  constructor(host: CatalogueHost) {
    this.#host = host;
    this.#definitions = new Map(BUILT_IN_DEFINITIONS.map((definition) => [definition.id, definition]));
    host.reader.refresh();
    for (const { value } of host.reader.range('definition')) {
      const definition = JSON.parse(Buffer.from(value).toString('utf8')) as Definition;
      this.#definitions.set(definition.id, definition);
    }
    this.#list = [...this.#definitions.values()];
  }

  get list(): readonly Definition[] {
    return this.#list;
  }

  /** Durable, and known to every shard, when it resolves. Throws tooManySeries beyond the bound. */
  define(definition: Definition, onlyNew: boolean, author?: ChangeAuthor): Promise<Definition> {
    const turn = this.#queue.catch(() => {}).then(() => this.#define(definition, onlyNew, author));
    this.#queue = turn;
    return turn;
  }

  async #define(definition: Definition, onlyNew: boolean, author?: ChangeAuthor): Promise<Definition> {
    const known = this.#definitions.get(definition.id);
    if (known && onlyNew) return known;
    if (BUILT_IN_DEFINITIONS.some(({ id }) => id === definition.id)) {
      throw new CodedError('invalid', undefined, { id: 'is a built-in definition, which cannot be changed' });
    }
    if (!known && this.#definitions.size >= DEFINITIONS_MAX) {
      throw new CodedError('tooManySeries', undefined, {
        id: `there are ${DEFINITIONS_MAX} metric definitions already`,
      });
    }
    const { id, aggregation, unit } = definition;
    const by = author && { who: author.name, from: author.from };
    await this.#host.commit(
      [{ table: 'definition', key: textKey(id), value: textKey(JSON.stringify(definition)) }],
      by && { ...by, action: 'metric.defined', target: id, detail: { aggregation, unit } },
    );
    this.#definitions.set(definition.id, definition);
    this.#list = [...this.#definitions.values()];
    await this.#host.publish();
    return definition;
  }
}
