/**
 * Every configuration field, declared once: kind, default, bounds, meaning. The reading of configKV, the typed form,
 * `docs/reference/configuration.md` and the dashboard's settings page are all made from this table.
 */
import { LOG_LEVELS } from '../../base/log-level.ts';
import { decodeName, parseGrant } from '../identity/role.ts';

export type FieldKind =
  | { readonly type: 'string'; readonly pattern?: RegExp; readonly rule?: string; readonly lengthMax: number }
  | { readonly type: 'address' }
  | { readonly type: 'integer'; readonly min: number; readonly max: number; readonly unit: string }
  | { readonly type: 'boolean' }
  | { readonly type: 'duration' }
  | { readonly type: 'enum'; readonly values: readonly string[]; readonly refused?: Readonly<Record<string, string>> }
  | { readonly type: 'list'; readonly nullable: boolean; readonly entry?: RegExp; readonly rule?: string }
  | {
      readonly type: 'map';
      /** Why a pair is not allowed; undefined where it is. */
      readonly pairFault?: (key: string, value: string) => string | undefined;
    };

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

const BY_IDP_CALL = 'is changed by PUT /api/v1/security/idp only';

function roleFault(group: string, role: string): string | undefined {
  if (!decodeName(group)) return `has a group that is not percent-encoded: ${group}`;
  const grant = parseGrant(role);
  return typeof grant === 'string' ? `has a role for ${group} that ${grant}` : undefined;
}

export const CONFIG_FIELDS: readonly ConfigField[] = [
  {
    path: 'addr',
    kind: { type: 'address' },
    default: 'https://0.0.0.0:443',
    meaning:
      'Where the server listens, scheme://host:port. The new address is bound before the answer; then the old one stops accepting connections.',
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
      'Server log; the access log is the file <name>-access.log beside it. The URL paths /<name>.log and /<name>-access.log follow the name. It must be in the log folder or below a folder listed in CAIRN_LOG_ROOTS when the server starts; symbolic links are resolved first.',
  },
  {
    path: 'log.level',
    kind: { type: 'enum', values: LOG_LEVELS },
    default: 'info',
    meaning: 'The least severe level that is logged.',
  },
  {
    path: 'log.maxSizeMB',
    kind: integer(1, 10_240, 'MB'),
    default: 10,
    meaning: 'A log file is rotated before it exceeds this size.',
  },
  {
    path: 'log.maxBackups',
    kind: integer(0, 1_000, 'files'),
    default: 10,
    meaning: 'Number of rotated files to keep beside the current one.',
  },
  {
    path: 'security.certFile',
    kind: path(),
    default: '<data-dir>/tls/server.crt',
    meaning: 'Certificate (PEM, leaf first). Changes to the file take effect within 15 s.',
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
      'Certificates (PEM) of the authority that signs worker certificates. When set, worker calls need a certificate signed by it. Changes to the file take effect within 15 s. Empty: no client certificate is requested.',
  },
  {
    path: 'security.idp.enabled',
    kind: flag,
    default: false,
    meaning: 'Whether calls need a token from the identity provider.',
    fixed: 'is changed by PUT and DELETE /api/v1/security/idp only',
  },
  { path: 'security.idp.userPoolID', kind: text(128), default: '', meaning: 'User pool, <region>_<id>.' },
  { path: 'security.idp.identityPoolID', kind: text(128), default: '', meaning: 'Identity pool, <region>:<uuid>.' },
  {
    path: 'security.idp.clientID',
    kind: text(128),
    default: '',
    meaning: 'App client of the pool (type: single-page application).',
  },
  {
    path: 'security.idp.adminGroups',
    kind: { type: 'list', nullable: false },
    default: ['admin'],
    meaning: 'Users in one of these groups are administrators.',
  },
  {
    path: 'security.idp.issuer',
    kind: text(512),
    default: '',
    meaning: 'Issuer of an OpenID Connect provider. Empty: the user pool is the provider.',
    fixed: BY_IDP_CALL,
  },
  {
    path: 'security.idp.audience',
    kind: text(512),
    default: '',
    meaning: 'With an issuer: what aud of a token must contain. Empty: the token must be for clientID.',
    fixed: BY_IDP_CALL,
  },
  {
    path: 'security.idp.groupsClaim',
    kind: text(256),
    default: '',
    meaning:
      'With an issuer: the claim with a user’s groups, by name or by path, such as realm_access.roles. Empty: groups.',
    fixed: BY_IDP_CALL,
  },
  {
    path: 'security.idp.scopes',
    kind: text(1024),
    default: '',
    meaning: 'With an issuer: the scopes that the dashboard asks for. Empty: openid.',
    fixed: BY_IDP_CALL,
  },
  {
    path: 'security.roles',
    kind: { type: 'map', pairFault: roleFault },
    default: {},
    meaning:
      'Roles by group: viewer, operator or admin; viewer@<queue> and operator@<queue>\\|<queue> are bound to queues. In names, write `:` `,` `@` `%` and `\\|` as %3A %2C %40 %25 and %7C. Empty: every signed-in user is a viewer. Administrator groups stay administrators.',
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
    meaning: 'Origins whose pages may call the API from a browser (CORS); none by default.',
  },
  {
    path: 'security.limits.requestsPerAddress',
    kind: integer(0, 1_000_000, 'requests a second'),
    default: 0,
    meaning:
      'Request budget of one client address; requests beyond it get 429. 0: no limit. Behind a proxy all clients share the proxy’s address.',
  },
  {
    path: 'security.limits.requestsPerToken',
    kind: integer(0, 1_000_000, 'requests a second'),
    default: 0,
    meaning: 'Request budget of one token; requests beyond it get 429. 0: no limit.',
  },
  {
    path: 'security.limits.connections',
    kind: integer(0, 1_000_000, 'connections'),
    default: 0,
    meaning:
      'Limit of open connections. A request on a connection beyond it gets 503, and the connection is closed. 0: no limit.',
  },
  {
    path: 'security.webhooks.giveUpAfter',
    kind: duration,
    default: '24h0m0s',
    meaning:
      'An event that a webhook could not deliver for this long is set aside; Replay in the list of webhooks, or POST …/replay, delivers it.',
  },
  {
    path: 'security.webhooks.privateTargets',
    kind: flag,
    default: false,
    meaning:
      'Whether webhooks may call addresses that are not reachable from everywhere: this machine, private networks, metadata services.',
  },
  {
    path: 'ckpt.ckptMode',
    kind: { type: 'enum', values: ['iterative', 'none', 'unknown'] },
    default: 'unknown',
    meaning:
      'With iterative, jobs are saved at every interval, including those that already run. With none, or while this is not set, a job whose node goes loses all of its work.',
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
      'Interval between checkpoints. A job whose node goes loses at most this much work, plus the time of one checkpoint. A value below 2m is accepted with a warning: the pauses may cost more than they save.',
  },
  {
    path: 'ckpt.ckptFiles',
    kind: { type: 'list', nullable: true },
    default: null,
    meaning: 'Additional files to copy with each checkpoint.',
  },
  {
    path: 'ckpt.IRMapScanPaths',
    kind: { type: 'list', nullable: true },
    default: null,
    meaning: 'Paths to scan for the inode reverse map.',
  },
  {
    path: 'ckpt.ckptOnSigTerm',
    kind: flag,
    default: false,
    meaning: 'Take a checkpoint when the job receives SIGTERM, as happens before a spot reclaim.',
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
    meaning: 'Workers watch for interruption notices from the cloud.',
  },
  {
    path: 'ckpt.tcpClose',
    kind: flag,
    default: false,
    meaning: 'Close all of the job’s TCP connections when checkpointing.',
  },
  {
    path: 'node.heartbeat',
    kind: duration,
    default: '30s',
    meaning: 'How often a worker node reports. A shorter interval shows its state sooner and costs more requests.',
  },
  {
    path: 'node.ttl',
    kind: duration,
    default: '5m0s',
    meaning:
      'A node is marked lost after this long without a heartbeat, never earlier. Must be at least twice node.heartbeat.',
  },
  {
    path: 'node.maxPerLogSizeMB',
    kind: integer(1, 102_400, 'MB'),
    default: 2,
    meaning: 'Maximum size of one stored node log file; the oldest whole lines are removed first.',
  },
  {
    path: 'node.maxNodeLogTotalMB',
    kind: integer(1, 1_048_576, 'MB'),
    default: 1024,
    meaning: 'Maximum total size of the stored log files of one node.',
  },
  {
    path: 'node.cleanLogInterval',
    kind: duration,
    default: '12h0m0s',
    meaning: 'How often a sweep applies these limits and removes the logs of nodes that are no longer kept.',
  },
  { path: 'job.volPerJob', kind: flag, default: false, meaning: 'Create a new block volume for each job.' },
  {
    path: 'job.customTags',
    kind: { type: 'map' },
    default: {},
    meaning: 'Tags for the resources that are created for a job.',
  },
  { path: 'job.volMountPath', kind: path(), default: '/mnt/cairn/volume', meaning: 'Where a job finds its volume.' },
  {
    path: 'job.diskType',
    kind: { type: 'enum', values: ['gp2', 'gp3', 'io1', 'io2', 'st1', 'sc1'] },
    default: 'gp3',
    meaning: 'Type of each new volume: gp and io are SSDs, st and sc are hard disks, which cost less.',
  },
  {
    path: 'job.diskSizeGB',
    kind: integer(1, 65_536, 'GB'),
    default: 100,
    meaning: 'Size of each new volume. Unused space costs the same.',
  },
  {
    path: 'job.diskThroughputMB',
    kind: integer(1, 4_000, 'MB/s'),
    default: 125,
    meaning: 'Throughput of each new volume. The cloud charges for more than its base.',
  },
  {
    path: 'job.storCleanIntvl',
    kind: duration,
    default: '24h0m0s',
    meaning: 'How often workers clean up the storage of ended jobs.',
  },
  {
    path: 'job.retentionPolicy',
    kind: { type: 'enum', values: ['time'], refused: { memory: 'is not supported yet; want time' } },
    default: 'time',
    meaning: 'How ended jobs are removed: after a time.',
  },
  { path: 'job.retentionInterval', kind: duration, default: '1h0m0s', meaning: 'How often retention is checked.' },
  {
    path: 'job.successTTL',
    kind: duration,
    default: '72h0m0s',
    meaning: 'How long a succeeded job is kept after its last event.',
  },
  {
    path: 'job.failureTTL',
    kind: duration,
    default: '168h0m0s',
    meaning: 'How long a failed or stopped job is kept after its last event.',
  },
];

export const CONFIG_FIELD_BY_PATH: ReadonlyMap<string, ConfigField> = new Map(
  CONFIG_FIELDS.map((field) => [field.path, field]),
);
