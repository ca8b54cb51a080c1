/**
 * Every configuration field, declared once: kind, default, bounds, meaning. The reading of configKV, the typed form,
 * `docs/reference/configuration.md` and the dashboard's settings page are all made from this table.
 */
import { LOG_LEVELS } from '../../base/log-level.ts';

export type FieldKind =
  | { readonly type: 'string'; readonly pattern?: RegExp; readonly rule?: string; readonly lengthMax: number }
  | { readonly type: 'address' }
  | { readonly type: 'integer'; readonly min: number; readonly max: number; readonly unit: string }
  | { readonly type: 'boolean' }
  | { readonly type: 'duration' }
  | { readonly type: 'enum'; readonly values: readonly string[]; readonly refused?: Readonly<Record<string, string>> }
  | { readonly type: 'list'; readonly nullable: boolean; readonly entry?: RegExp; readonly rule?: string }
  | { readonly type: 'map' };

export type ConfigValue = string | number | boolean | null | readonly string[] | Readonly<Record<string, string>>;

export interface ConfigField {
  readonly path: string;
  readonly kind: FieldKind;
  /** In the form that GET /api/v1/config shows. `<data-dir>`, `<log-dir>` and such are filled in at first start. */
  readonly default: ConfigValue;
  readonly meaning: string;
  /** Why it cannot be set through configKV; absent where it can. */
  readonly fixed?: string;
}

const path = (rule = 'an absolute path'): FieldKind => ({
  type: 'string',
  pattern: /^\/[^\0]*$/,
  rule,
  lengthMax: 4096,
});
const text = (lengthMax: number): FieldKind => ({ type: 'string', lengthMax });
const flag: FieldKind = { type: 'boolean' };
const duration: FieldKind = { type: 'duration' };
const integer = (min: number, max: number, unit: string): FieldKind => ({ type: 'integer', min, max, unit });

export const CONFIG_FIELDS: readonly ConfigField[] = [
  {
    path: 'addr',
    kind: { type: 'address' },
    default: 'https://0.0.0.0:443',
    meaning:
      'Where the server listens, scheme://host:port. The new address is bound before the answer, then the old one refuses connections.',
  },
  {
    path: 'id',
    kind: text(128),
    default: '<made at first start>',
    meaning: 'Instance identifier.',
    fixed: 'must not be changed',
  },
  {
    path: 'staticFolder',
    kind: text(4096),
    default: '<the dashboard that is installed>',
    meaning: 'Folder of the web frontend.',
    fixed: 'must not be changed',
  },
  {
    path: 'log.file',
    kind: {
      type: 'string',
      pattern: /^\/[^\0]*[^/\0]\.log$/,
      rule: 'an absolute path that ends in .log',
      lengthMax: 4096,
    },
    default: '<log-dir>/cairn.log',
    meaning:
      'Server log; the access log stands beside it as <name>-access.log. The paths /<name>.log and /<name>-access.log follow the name. It is in the log folder, or below a folder that CAIRN_LOG_ROOTS names where the server is started; links are resolved first.',
  },
  {
    path: 'log.level',
    kind: { type: 'enum', values: LOG_LEVELS },
    default: 'info',
    meaning: 'The least severe lines that are written.',
  },
  {
    path: 'log.maxSizeMB',
    kind: integer(1, 10_240, 'MB'),
    default: 10,
    meaning: 'A log file is rotated when it would pass this size.',
  },
  {
    path: 'log.maxBackups',
    kind: integer(0, 1_000, 'files'),
    default: 10,
    meaning: 'Rotated files that are kept beside the current one.',
  },
  {
    path: 'security.certFile',
    kind: path(),
    default: '<data-dir>/tls/server.crt',
    meaning: 'Certificate (PEM, leaf first). A changed file is taken up within 15 s.',
  },
  {
    path: 'security.keyFile',
    kind: path(),
    default: '<data-dir>/tls/server.pem',
    meaning: 'Private key (PEM) of the certificate.',
  },
  {
    path: 'security.clientCAFile',
    kind: { type: 'string', pattern: /^(\/[^\0]*)?$/, rule: 'an absolute path, or empty', lengthMax: 4096 },
    default: '',
    meaning:
      'Certificates (PEM) of the authority that signs those of worker nodes: what nodes call then needs one. A changed file is taken up within 15 s. Empty: none is asked for.',
  },
  {
    path: 'security.idp.enabled',
    kind: flag,
    default: false,
    meaning: 'Whether calls need a token of the identity provider.',
    fixed: 'is changed by PUT and DELETE /api/v1/security/idp only',
  },
  { path: 'security.idp.userPoolID', kind: text(128), default: '', meaning: 'User pool, <region>_<id>.' },
  { path: 'security.idp.identityPoolID', kind: text(128), default: '', meaning: 'Identity pool, <region>:<uuid>.' },
  {
    path: 'security.idp.clientID',
    kind: text(128),
    default: '',
    meaning: 'App client of the pool: a single page application.',
  },
  {
    path: 'security.idp.adminGroups',
    kind: { type: 'list', nullable: false },
    default: ['admin'],
    meaning: 'Users in one of these groups are administrators.',
  },
  {
    path: 'security.corsOrigins',
    kind: {
      type: 'list',
      nullable: false,
      entry: /^https?:\/\/[a-z0-9.[\]:-]+$/,
      rule: 'scheme://host[:port] in lower case',
    },
    default: [],
    meaning: 'Origins whose pages may call the API from a browser; none by default.',
  },
  {
    path: 'security.limits.requestsPerAddress',
    kind: integer(0, 1_000_000, 'requests a second'),
    default: 0,
    meaning:
      'Request budget of one client address; beyond it 429. 0 is no limit. Behind a proxy all clients have its address.',
  },
  {
    path: 'security.limits.requestsPerToken',
    kind: integer(0, 1_000_000, 'requests a second'),
    default: 0,
    meaning: 'Request budget of one token; beyond it 429. 0 is no limit.',
  },
  {
    path: 'security.limits.connections',
    kind: integer(0, 1_000_000, 'connections'),
    default: 0,
    meaning: 'Open connections; on those beyond it a request gets 503 and the connection is closed. 0 is no limit.',
  },
  {
    path: 'ckpt.ckptMode',
    kind: { type: 'enum', values: ['iterative', 'none', 'unknown'] },
    default: 'unknown',
    meaning: 'Checkpoint mode of new jobs: iterative or none; unknown until someone sets it.',
  },
  {
    path: 'ckpt.ckptImagePath',
    kind: path(),
    default: '/mnt/cairn/checkpoints',
    meaning: 'Folder on the workers that stores checkpoint images.',
  },
  {
    path: 'ckpt.ckptInterval',
    kind: duration,
    default: '15m0s',
    meaning:
      'Interval between checkpoints. Below 2m is accepted with a warning: the pauses may cost more than they save.',
  },
  {
    path: 'ckpt.ckptFiles',
    kind: { type: 'list', nullable: true },
    default: null,
    meaning: 'Extra files copied with each checkpoint.',
  },
  {
    path: 'ckpt.IRMapScanPaths',
    kind: { type: 'list', nullable: true },
    default: null,
    meaning: 'Paths scanned for the inode reverse map.',
  },
  {
    path: 'ckpt.ckptOnSigTerm',
    kind: flag,
    default: false,
    meaning: 'Take a checkpoint when the job receives SIGTERM, as before a spot reclaim.',
  },
  {
    path: 'ckpt.diagnosisMode',
    kind: flag,
    default: false,
    meaning: 'Workers keep the working files of failed checkpoints for diagnosis.',
  },
  {
    path: 'ckpt.rootFSDiff',
    kind: flag,
    default: false,
    meaning: 'Include the changes of the root filesystem in the checkpoint.',
  },
  {
    path: 'ckpt.cloudMonitorMode',
    kind: flag,
    default: false,
    meaning: 'Workers watch the cloud’s interruption notices.',
  },
  {
    path: 'ckpt.tcpClose',
    kind: flag,
    default: false,
    meaning: 'Close all TCP connections of the job in the checkpoint.',
  },
  { path: 'node.heartbeat', kind: duration, default: '30s', meaning: 'Interval between heartbeats of a worker node.' },
  {
    path: 'node.ttl',
    kind: duration,
    default: '5m0s',
    meaning: 'A node is lost after this long without a heartbeat, never before. At least twice node.heartbeat.',
  },
  {
    path: 'node.maxPerLogSizeMB',
    kind: integer(1, 102_400, 'MB'),
    default: 2,
    meaning: 'Cap of one stored node log file; the oldest whole lines go first.',
  },
  {
    path: 'node.maxNodeLogTotalMB',
    kind: integer(1, 1_048_576, 'MB'),
    default: 1024,
    meaning: 'Cap of all stored log files of one node.',
  },
  {
    path: 'node.cleanLogInterval',
    kind: duration,
    default: '12h0m0s',
    meaning: 'Interval of the sweep that applies the caps and removes logs of forgotten nodes.',
  },
  { path: 'job.volPerJob', kind: flag, default: false, meaning: 'Create a new block volume for each job.' },
  { path: 'job.customTags', kind: { type: 'map' }, default: {}, meaning: 'Tags put on what is created for a job.' },
  { path: 'job.volMountPath', kind: path(), default: '/mnt/cairn/volume', meaning: 'Mount path of the volume.' },
  {
    path: 'job.diskType',
    kind: { type: 'enum', values: ['gp2', 'gp3', 'io1', 'io2', 'st1', 'sc1'] },
    default: 'gp3',
    meaning: 'Type of the volume.',
  },
  { path: 'job.diskSizeGB', kind: integer(1, 65_536, 'GB'), default: 100, meaning: 'Size of the volume.' },
  { path: 'job.diskThroughputMB', kind: integer(1, 4_000, 'MB/s'), default: 125, meaning: 'Throughput of the volume.' },
  {
    path: 'job.storCleanIntvl',
    kind: duration,
    default: '24h0m0s',
    meaning: 'Interval at which workers clean up storage of ended jobs.',
  },
  {
    path: 'job.retentionPolicy',
    kind: { type: 'enum', values: ['time'], refused: { memory: 'is not supported yet; want time' } },
    default: 'time',
    meaning: 'How ended jobs are removed: by time.',
  },
  { path: 'job.retentionInterval', kind: duration, default: '1h0m0s', meaning: 'Interval of the retention check.' },
  {
    path: 'job.successTTL',
    kind: duration,
    default: '72h0m0s',
    meaning: 'Succeeded jobs are kept this long after their last event.',
  },
  {
    path: 'job.failureTTL',
    kind: duration,
    default: '168h0m0s',
    meaning: 'Failed and stopped jobs are kept this long after their last event.',
  },
];

export const CONFIG_FIELD_BY_PATH: ReadonlyMap<string, ConfigField> = new Map(
  CONFIG_FIELDS.map((field) => [field.path, field]),
);
