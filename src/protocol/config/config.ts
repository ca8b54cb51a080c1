/**
 * The configuration as a whole: the resource of GET /api/v1/config, changes to it (all or nothing), and the settings
 * that behaviours read, with durations in milliseconds.
 */
import type { LogLevel } from '../../base/log-level.ts';
import { tryParseAddress } from '../address.ts';
import { mustDurationMs } from '../duration.ts';
import { CONFIG_FIELD_BY_PATH, CONFIG_FIELDS, type ConfigValue } from './config-fields.ts';
import { readConfigJson, readConfigText, type ValueResult } from './config-value.ts';

export interface Config {
  readonly addr: string;
  readonly id: string;
  readonly staticFolder: string;
  readonly log: {
    readonly file: string;
    readonly level: LogLevel;
    readonly maxSizeMB: number;
    readonly maxBackups: number;
  };
  readonly security: {
    readonly certFile: string;
    readonly keyFile: string;
    readonly clientCAFile: string;
    readonly idp: {
      readonly enabled: boolean;
      readonly userPoolID: string;
      readonly identityPoolID: string;
      readonly clientID: string;
      readonly adminGroups: readonly string[];
      readonly issuer: string;
      readonly audience: string;
      readonly groupsClaim: string;
      readonly scopes: string;
    };
    /** Group → role, both as `role.ts` writes them. */
    readonly roles: Readonly<Record<string, string>>;
    readonly corsOrigins: readonly string[];
    readonly limits: {
      readonly requestsPerAddress: number;
      readonly requestsPerToken: number;
      readonly connections: number;
    };
    readonly webhooks: {
      readonly giveUpAfter: string;
      readonly privateTargets: boolean;
    };
  };
  readonly ckpt: {
    readonly ckptMode: string;
    readonly ckptImagePath: string;
    readonly ckptInterval: string;
    readonly ckptFiles: readonly string[] | null;
    readonly IRMapScanPaths: readonly string[] | null;
    readonly ckptOnSigTerm: boolean;
    readonly diagnosisMode: boolean;
    readonly rootFSDiff: boolean;
    readonly cloudMonitorMode: boolean;
    readonly tcpClose: boolean;
  };
  readonly node: {
    readonly heartbeat: string;
    readonly ttl: string;
    readonly maxPerLogSizeMB: number;
    readonly maxNodeLogTotalMB: number;
    readonly cleanLogInterval: string;
  };
  readonly job: {
    readonly volPerJob: boolean;
    readonly customTags: Readonly<Record<string, string>>;
    readonly volMountPath: string;
    readonly diskType: string;
    readonly diskSizeGB: number;
    readonly diskThroughputMB: number;
    readonly storCleanIntvl: string;
    readonly retentionPolicy: string;
    readonly retentionInterval: string;
    readonly successTTL: string;
    readonly failureTTL: string;
  };
}

/** Dotted path → value. The flat form is what is compared, checked and recorded in the history. */
export type FlatConfig = ReadonlyMap<string, ConfigValue>;

export type ChangeResult =
  | { readonly ok: true; readonly config: Config; readonly changed: readonly string[] }
  | { readonly ok: false; readonly fields: Readonly<Record<string, string>> };

/** Applies configKV's map (string forms): every entry is checked first, one bad entry changes nothing. */
export function changeConfigByText(config: Config, entries: Readonly<Record<string, unknown>>): ChangeResult {
  return change(config, Object.entries(entries), (field, value) =>
    typeof value === 'string' ? readConfigText(field, value) : { ok: false, reason: 'is not a string' },
  );
}

/** The same with JSON forms, as the deprecated ckptConfig and the log configuration send them. */
export function changeConfigByJson(config: Config, entries: Readonly<Record<string, unknown>>): ChangeResult {
  return change(config, Object.entries(entries), readConfigJson);
}

type ReadValue = (field: (typeof CONFIG_FIELDS)[number], value: unknown) => ValueResult;

function change(config: Config, entries: readonly (readonly [string, unknown])[], read: ReadValue): ChangeResult {
  const fields: Record<string, string> = {};
  const next = new Map(flattenConfig(config));
  const changed: string[] = [];
  for (const [path, value] of entries) {
    const field = CONFIG_FIELD_BY_PATH.get(path);
    const result: ValueResult = !field
      ? { ok: false, reason: 'is not a configuration field' }
      : field.fixed
        ? { ok: false, reason: field.fixed }
        : read(field, value);
    if (!result.ok) {
      setOwn(fields, path, result.reason);
      continue;
    }
    if (JSON.stringify(next.get(path)) !== JSON.stringify(result.value)) changed.push(path);
    next.set(path, result.value);
  }
  const unflattened = unflattenConfig(next);
  const asked = new Set(entries.map(([path]) => path));
  for (const [path, reason] of [...relationFaults(unflattened, asked), ...lockOutFaults(unflattened, changed)])
    if (!Object.hasOwn(fields, path)) setOwn(fields, path, reason);
  return Object.keys(fields).length > 0 ? { ok: false, fields } : { ok: true, config: unflattened, changed };
}

/** `fields[path] = reason`, also where a hostile path is `__proto__`. */
function setOwn(fields: Record<string, string>, path: string, reason: string): void {
  Object.defineProperty(fields, path, { value: reason, enumerable: true, configurable: true, writable: true });
}

/** Relations between fields; blamed on those that the caller asked to change. */
function relationFaults(config: Config, asked: ReadonlySet<string>): [string, string][] {
  const faults: [string, string][] = [];
  if (mustDurationMs(config.node.ttl) < 2 * mustDurationMs(config.node.heartbeat)) {
    const reasons = {
      'node.ttl': `must be at least twice node.heartbeat (${config.node.heartbeat})`,
      'node.heartbeat': `must be at most half of node.ttl (${config.node.ttl})`,
    };
    for (const [path, reason] of Object.entries(reasons)) if (asked.has(path)) faults.push([path, reason]);
  }
  if (config.security.clientCAFile !== '' && config.addr.startsWith('http:')) {
    const reason = 'security.clientCAFile needs https: clients present no certificate over http';
    for (const path of ['security.clientCAFile', 'addr']) if (asked.has(path)) faults.push([path, reason]);
  }
  return faults;
}

/** Faults that would lock out everyone who could undo the change. The provider's own call tests what it is given; this one does not. */
function lockOutFaults({ security }: Config, changed: readonly string[]): [string, string][] {
  if (!security.idp.enabled) return [];
  const faults: [string, string][] = [];
  const whose =
    security.idp.issuer === '' ? ['security.idp.userPoolID', 'security.idp.clientID'] : ['security.idp.clientID'];
  for (const path of whose)
    if (changed.includes(path))
      faults.push([path, 'can only be changed with PUT /api/v1/security/idp while the identity provider is on']);
  if (security.idp.adminGroups.length === 0)
    faults.push(['security.idp.adminGroups', 'names no group: nobody would be an administrator']);
  return faults;
}

export function flattenConfig(config: Config): FlatConfig {
  const flat = new Map<string, ConfigValue>();
  for (const { path } of CONFIG_FIELDS) {
    let value: unknown = config;
    for (const name of path.split('.')) value = (value as Record<string, unknown>)[name];
    flat.set(path, value as ConfigValue);
  }
  return flat;
}

export function unflattenConfig(flat: FlatConfig): Config {
  const root: Record<string, unknown> = {};
  for (const { path } of CONFIG_FIELDS) {
    const names = path.split('.');
    const leaf = names.pop() as string;
    let folder = root;
    for (const name of names) {
      folder[name] ??= {};
      folder = folder[name] as Record<string, unknown>;
    }
    folder[leaf] = flat.get(path);
  }
  return deepFreeze(root) as unknown as Config;
}

export interface ConfigSeeds {
  readonly addr: string;
  readonly id: string;
  readonly staticFolder: string;
  readonly logFile: string;
  readonly certFile: string;
  readonly keyFile: string;
}

export function newConfig(seeds: ConfigSeeds): Config {
  const flat = new Map<string, ConfigValue>(CONFIG_FIELDS.map((field) => [field.path, field.default]));
  flat.set('addr', seeds.addr);
  flat.set('id', seeds.id);
  flat.set('staticFolder', seeds.staticFolder);
  flat.set('log.file', seeds.logFile);
  flat.set('security.certFile', seeds.certFile);
  flat.set('security.keyFile', seeds.keyFile);
  return unflattenConfig(flat);
}

/**
 * Reads what config.json holds. Fields that are missing get their default; unknown ones are named, so that the caller can
 * warn; a bad value is an error, because guessing what an operator meant is worse than not starting.
 */
export function readStoredConfig(
  stored: unknown,
  seeds: ConfigSeeds,
):
  | { readonly config: Config; readonly unknown: readonly string[] }
  | { readonly faults: Readonly<Record<string, string>> } {
  if (typeof stored !== 'object' || stored === null || Array.isArray(stored)) {
    return { faults: { 'config.json': 'is not an object' } };
  }
  const flat = new Map(flattenConfig(newConfig(seeds)));
  const faults: Record<string, string> = {};
  const unknown: string[] = [];
  const given = flattenJson(stored);
  for (const [path, value] of given) {
    const field = CONFIG_FIELD_BY_PATH.get(path);
    if (!field) {
      unknown.push(path);
      continue;
    }
    const result = readConfigJson(field, value);
    if (result.ok) flat.set(path, result.value);
    else setOwn(faults, path, result.reason);
  }
  if (Object.keys(faults).length > 0) return { faults };
  const config = unflattenConfig(flat);
  for (const [path, reason] of relationFaults(config, new Set(['node.ttl', 'security.clientCAFile'])))
    setOwn(faults, path, reason);
  return Object.keys(faults).length > 0 ? { faults } : { config, unknown };
}

/** Leaves of nested objects by dotted path; stops at declared fields, so that a map's keys are not taken for paths. */
function flattenJson(value: unknown, prefix = ''): [string, unknown][] {
  const isFolder =
    typeof value === 'object' && value !== null && !Array.isArray(value) && !CONFIG_FIELD_BY_PATH.has(prefix);
  if (!isFolder) return [[prefix, value]];
  return Object.entries(value).flatMap(([name, inner]) =>
    flattenJson(inner, prefix === '' ? name : `${prefix}.${name}`),
  );
}

/** What behaviours read: parsed once, frozen, units in the names. */
export interface Settings {
  readonly heartbeatMs: number;
  readonly nodeTtlMs: number;
  readonly perLogBytesMax: number;
  readonly nodeLogBytesMax: number;
  readonly cleanLogIntervalMs: number;
  readonly retentionIntervalMs: number;
  readonly successTtlMs: number;
  readonly failureTtlMs: number;
  readonly checkpointIntervalMs: number;
}

/** Of configurations that are in use: each is frozen, and every change makes another. */
const settings = new WeakMap<Config, Settings>();

export function settingsOf(config: Config): Settings {
  const known = settings.get(config);
  if (known) return known;
  const read = readSettings(config);
  settings.set(config, read);
  return read;
}

function readSettings(config: Config): Settings {
  return Object.freeze({
    heartbeatMs: mustDurationMs(config.node.heartbeat),
    nodeTtlMs: mustDurationMs(config.node.ttl),
    perLogBytesMax: config.node.maxPerLogSizeMB * 1024 * 1024,
    nodeLogBytesMax: config.node.maxNodeLogTotalMB * 1024 * 1024,
    cleanLogIntervalMs: mustDurationMs(config.node.cleanLogInterval),
    retentionIntervalMs: mustDurationMs(config.job.retentionInterval),
    successTtlMs: mustDurationMs(config.job.successTTL),
    failureTtlMs: mustDurationMs(config.job.failureTTL),
    checkpointIntervalMs: mustDurationMs(config.ckpt.ckptInterval),
  });
}

/** Where the log routes stand: the base name of log.file, without `.log`. */
export function logNameOf(config: Config): string {
  const name = config.log.file.slice(config.log.file.lastIndexOf('/') + 1);
  return name.slice(0, -'.log'.length);
}

export function accessLogFileOf({ log }: { readonly log: Pick<Config['log'], 'file'> }): string {
  return `${log.file.slice(0, -'.log'.length)}-access.log`;
}

/** The address must parse; it was checked when it was set. */
export function addressOf(config: Config): NonNullable<ReturnType<typeof tryParseAddress>> {
  const address = tryParseAddress(config.addr, { allowPortZero: true });
  if (!address) throw new RangeError('cannot read addr of the configuration');
  return address;
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
}
