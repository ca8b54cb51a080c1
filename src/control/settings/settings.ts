/**
 * Keeps the configuration, on main: one change at a time, all or nothing, durable before the answer, recorded, and
 * then taken up live. A change goes through what it concerns (the listener, the log files) in two steps, so that a new
 * address is bound before the change is written and taken back if it cannot be written.
 *
 *   check ─► prepare each part ─► intent ─► config.json ─► version and history ─► take up ─► every shard knows ─► answer
 */

import { configChanged } from '../../actors/events/event-mapping.ts';
import type { Write } from '../../actors/runtime/behaviour.ts';
import type { Clock } from '../../base/clock.ts';
import { CodedError } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import {
  type Config,
  changeConfigByJson,
  changeConfigByText,
  flattenConfig,
  unflattenConfig,
} from '../../protocol/config/config.ts';
import { warningsOf } from '../../protocol/config/warnings.ts';
import type { PublicEvent } from '../../protocol/event.ts';
import { formatTimestampMs } from '../../protocol/timestamp.ts';
import { type ConfigFile, configHash } from '../../store/files/config-file.ts';
import { KeyReader, keyOf, textKey } from '../../store/kv/keys.ts';
import type { Reader } from '../../store/kv/store.ts';
import type { AuditEntry } from '../../store/records/audit-record.ts';
import {
  CONFIG_INTENT_KEY,
  type ConfigIntent,
  encodeConfigIntent,
  readConfigIntent,
} from '../../store/records/config-intent.ts';
import {
  CONFIG_VERSION_KEY,
  type ConfigVersion,
  encodeConfigVersion,
  readConfigVersion,
} from '../../store/records/config-version.ts';
import { type ChangeAuthor, changesOf } from '../audit-log.ts';

/** A part of the server that must get ready for a change before it is made. */
export interface ConfigParticipant {
  /** What is wrong with values of their own, by key, beyond what the schema knows; told together with its faults. */
  faultsOf?(entries: Readonly<Record<string, unknown>>, before: Config): Promise<Readonly<Record<string, string>>>;
  /** Null where the change does not concern it. Throws a CodedError where the change cannot be taken up. */
  prepare(next: Config, before: Config): Promise<PreparedChange | null>;
}

export interface PreparedChange {
  commit(): void | Promise<void>;
  rollback(): void | Promise<void>;
}

export interface SettingsHost {
  readonly file: ConfigFile;
  readonly reader: Reader;
  readonly clock: Clock;
  readonly log: Logger;
  /** With lines of the event log, and a record of who did it in the audit log: one transaction. */
  readonly commit: (writes: readonly Write[], events: readonly PublicEvent[], audit?: AuditEntry) => Promise<void>;
  /** Tells every shard; resolves when they know. */
  readonly publish: (config: Config, version: number) => Promise<void>;
  /** By which a configuration is known that was not edited; in a cluster, of what its servers share. */
  readonly hashOf?: (config: Config) => string;
}

/** Changes kept in the history; a change of several keys counts as one record here, and the answer shows 100 keys. */
const HISTORY_MAX = 100;
const EDITED_BY_HAND = 'edited while the server was down';

export class Settings {
  readonly #host: SettingsHost;
  readonly #parts: ConfigParticipant[] = [];
  #config: Config;
  #version: number;
  #queue: Promise<unknown> = Promise.resolve();

  private constructor(host: SettingsHost, config: Config, version: number) {
    this.#host = host;
    this.#config = config;
    this.#version = version;
  }

  /**
   * Takes up the configuration that was read; one that was edited by hand while the server was down is a change too. One that
   * only lacks fields, because an earlier version wrote it `asStored`, is none.
   */
  static async open(host: SettingsHost, config: Config, asStored: unknown = config): Promise<Settings> {
    host.reader.refresh();
    const stored = readConfigVersion(host.reader);
    const hash = (host.hashOf ?? configHash)(config);
    // The second where a lone server has become one of a cluster.
    if (stored && [hash, configHash(config), configHash(asStored)].includes(stored.hash))
      return new Settings(host, config, stored.version);
    const version = (stored?.version ?? 0) + 1;
    const settings = new Settings(host, config, version);
    const next = { version, hash };
    const { keys, entries, audit } = readConfigIntent(host.reader, next) ?? settings.#editedByHand(next);
    const writes = settings.#record(next, stored ? entries : []);
    await host.commit(
      writes,
      stored ? [configChanged(keys, version, host.clock.wallMs())] : [],
      stored ? audit : undefined,
    );
    return settings;
  }

  /** On a server that follows: what the leader has changed is not this one's to record. */
  static follow(host: SettingsHost, config: Config): Settings {
    host.reader.refresh();
    return new Settings(host, config, readConfigVersion(host.reader)?.version ?? 0);
  }

  get config(): Config {
    return this.#config;
  }

  get version(): number {
    return this.#version;
  }

  addParticipant(participant: ConfigParticipant): void {
    this.#parts.push(participant);
  }

  /** Throws `invalid` with a reason for every bad key, or `addressUnavailable` where only the address is bad. */
  change(form: 'text' | 'json', entries: Readonly<Record<string, unknown>>, author: ChangeAuthor): Promise<Config> {
    return this.#oneAtATime(async () => {
      const result =
        form === 'text' ? changeConfigByText(this.#config, entries) : changeConfigByJson(this.#config, entries);
      const fields = { ...(await this.#faultsOf(entries)), ...(result.ok ? {} : result.fields) };
      if (!result.ok || Object.keys(fields).length > 0) throw faultOf(fields, entries);
      if (typeof entries['addr'] === 'string' && result.config.addr.endsWith(':0'))
        throw faultOf({ addr: 'has port 0' }, entries);
      if (result.changed.length > 0) await this.#apply(result.config, result.changed, author);
      return this.#config;
    });
  }

  /** Sets the identity provider's fields, which have endpoints of their own; they were checked by the caller. */
  changeIdp(idp: Config['security']['idp'], author: ChangeAuthor): Promise<Config> {
    return this.#oneAtATime(async () => {
      const flat = new Map(flattenConfig(this.#config));
      for (const [name, value] of Object.entries(idp)) flat.set(`security.idp.${name}`, value);
      const next = unflattenConfig(flat);
      const before = flattenConfig(this.#config);
      const changed = [...flattenConfig(next)]
        .filter(([path, value]) => !isSame(value, before.get(path)))
        .map(([path]) => path);
      if (changed.length > 0) await this.#apply(next, changed, author);
      return this.#config;
    });
  }

  async #faultsOf(entries: Readonly<Record<string, unknown>>): Promise<Record<string, string>> {
    const faults = await Promise.all(this.#parts.map((part) => part.faultsOf?.(entries, this.#config)));
    return Object.assign({}, ...faults);
  }

  #oneAtATime<T>(run: () => Promise<T>): Promise<T> {
    const turn = this.#queue.catch(() => {}).then(run);
    this.#queue = turn;
    return turn;
  }

  async #apply(next: Config, changed: readonly string[], author: ChangeAuthor): Promise<void> {
    const before = this.#config;
    const prepared: PreparedChange[] = [];
    try {
      for (const part of this.#parts) {
        const ready = await part.prepare(next, before);
        if (ready) prepared.push(ready);
      }
      const intent = this.#intentOf(next, changed, author);
      const write = { table: 'meta', key: CONFIG_INTENT_KEY, value: encodeConfigIntent(intent) } as const;
      await this.#host.commit([write], []);
      await this.#host.file.write(next);
      await this.#recordOrRevert(intent);
    } catch (error) {
      for (const part of prepared.reverse()) await part.rollback();
      throw error;
    }
    this.#config = next;
    this.#version++;
    const fault = await takeUp(prepared);
    await this.#host.publish(next, this.#version);
    this.#host.log.info(
      { keys: changed, version: this.#version, who: author.name, from: author.from },
      'the configuration was changed',
    );
    for (const warning of warningsOf(next, changed)) this.#host.log.warn({}, warning);
    if (fault) throw fault.error;
  }

  async #recordOrRevert({ entries, audit, keys, ...next }: ConfigIntent): Promise<void> {
    try {
      const events = [configChanged(keys, next.version, this.#host.clock.wallMs())];
      await this.#host.commit(this.#record(next, entries), events, audit);
    } catch (error) {
      await this.#host.file.write(this.#config);
      throw error;
    }
  }

  #intentOf(next: Config, keys: readonly string[], { name, from }: ChangeAuthor): ConfigIntent {
    const version = this.#version + 1;
    const before = flattenConfig(this.#config);
    const after = flattenConfig(next);
    const who = `${name} (${from})`;
    const time = this.#time();
    const entries = keys.map((key) => ({ version, time, who, key, old: before.get(key), new: after.get(key) }));
    const audit: AuditEntry = {
      who: name,
      from,
      action: actionOf(this.#config, next),
      target: keys.join(','),
      detail: { version, changes: changesOf(keys, before, after) },
    };
    return { version, hash: (this.#host.hashOf ?? configHash)(next), keys, entries, audit };
  }

  #editedByHand({ version, hash }: ConfigVersion): ConfigIntent {
    const who = `config.json (${EDITED_BY_HAND})`;
    return {
      version,
      hash,
      keys: ['*'],
      entries: [{ version, time: this.#time(), who, key: '*', old: null, new: null }],
      audit: { who: EDITED_BY_HAND, from: 'config.json', action: 'config.changed', target: '*', detail: { version } },
    };
  }

  #record(next: ConfigVersion, entries: readonly object[]): Write[] {
    const { version } = next;
    const writes: Write[] = [
      { table: 'meta', key: CONFIG_VERSION_KEY, value: encodeConfigVersion(next) },
      { table: 'meta', key: CONFIG_INTENT_KEY, value: null },
    ];
    if (entries.length === 0) return writes;
    writes.push({ table: 'configHistory', key: keyOf({ number: version }), value: textKey(JSON.stringify(entries)) });
    this.#host.reader.refresh();
    for (const { key } of this.#host.reader.range('configHistory')) {
      if (new KeyReader(key).number() > version - HISTORY_MAX) break;
      writes.push({ table: 'configHistory', key, value: null });
    }
    return writes;
  }

  #time(): string {
    return formatTimestampMs(this.#host.clock.wallMs());
  }
}

function actionOf(before: Config, next: Config): string {
  const { enabled } = next.security.idp;
  if (enabled === before.security.idp.enabled) return 'config.changed';
  return enabled ? 'idp.enabled' : 'idp.disabled';
}

/**
 * The first fault of a part that cannot take up what it had prepared. It stops no other part and no shard: the change is
 * on disk, and a server of which a half knows it is worse than one that says what broke.
 */
async function takeUp(prepared: readonly PreparedChange[]): Promise<{ readonly error: unknown } | null> {
  let fault: { readonly error: unknown } | null = null;
  for (const part of prepared) {
    try {
      await part.commit();
    } catch (error) {
      fault ??= { error };
    }
  }
  return fault;
}

/** A bad address alone is answered `addressUnavailable`; together with other faults, or where it is no text, all are `invalid`. */
function faultOf(fields: Readonly<Record<string, string>>, entries: Readonly<Record<string, unknown>>): CodedError {
  const names = Object.keys(fields);
  return names.length === 1 && names[0] === 'addr' && typeof entries['addr'] === 'string'
    ? new CodedError('addressUnavailable', undefined, fields)
    : new CodedError('invalid', undefined, fields);
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
