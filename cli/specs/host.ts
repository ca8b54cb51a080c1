/** Commands that work on the server's own host. */
import type { CommandSpec, OptionSpec } from '../frame/spec.ts';

const DATA_DIR: OptionSpec = {
  flags: '--data-dir DIR',
  meaning: 'configuration and database',
  env: 'CAIRN_DATA_DIR',
  default: '/var/lib/cairn',
  completes: 'folder',
};

const LOG_DIR: OptionSpec = {
  flags: '--log-dir DIR',
  meaning: 'server, access and node logs',
  env: 'CAIRN_LOG_DIR',
  default: '/var/log/cairn',
  completes: 'folder',
};

const serveOptions = (dataDir: string, logDir: string, addr: string): readonly OptionSpec[] => [
  { ...DATA_DIR, default: dataDir },
  { ...LOG_DIR, default: logDir },
  { flags: '--addr URL', meaning: 'where a new server listens', env: 'CAIRN_ADDR', default: addr },
  {
    flags: '--static-dir DIR',
    meaning: 'the web frontend',
    env: 'CAIRN_STATIC_DIR',
    default: 'the installed one',
    completes: 'folder',
  },
  {
    flags: '--shards N',
    meaning: 'threads that handle requests',
    env: 'CAIRN_SHARDS',
    default: 'cores - 1, at least 1',
  },
  { flags: '--workers N', meaning: 'threads for queries', env: 'CAIRN_WORKERS', default: 'cores - 1, at least 1' },
  {
    flags: '--replicate URLS',
    meaning:
      'servers of NATS JetStream that replicate this server: nats://HOST:PORT or tls://HOST:PORT, comma-separated',
    env: 'CAIRN_REPLICATE',
    default: 'none: one server',
  },
  { flags: '--cluster NAME', meaning: 'the cluster that this server is part of', env: 'CAIRN_CLUSTER' },
  {
    flags: '--advertise URL',
    meaning: 'where the other servers of the cluster reach this one',
    env: 'CAIRN_ADVERTISE',
    default: 'the address it listens on',
  },
];

export const HOST_COMMANDS: readonly CommandSpec[] = [
  {
    path: 'serve',
    summary: 'run the server',
    description:
      'Runs the server until SIGTERM or SIGINT. A flag overrides the environment. --addr applies only until a ' +
      'configuration exists; then the configuration decides. CAIRN_LOG_ROOTS names additional folders, separated by ' +
      'colons, in which log.file may be. With --replicate it is one of several servers that keep the same data: see ' +
      'docs/guide/cluster.md.',
    options: serveOptions('/var/lib/cairn', '/var/log/cairn', 'https://0.0.0.0:443'),
    examples: [
      { command: 'cairn serve', what: 'Run the installed server' },
      {
        command: 'cairn serve --data-dir ./data --log-dir ./log --addr http://127.0.0.1:8080',
        what: 'Run a server for trying things out',
      },
      {
        command:
          'cairn serve --replicate nats://10.0.0.1:4222,nats://10.0.0.2:4222 --cluster main --advertise https://10.0.0.1',
        what: 'Run one of several servers that replicate each other',
      },
    ],
    exitCodes: { 1: 'failed', 70: 'gave up: the service manager should start it again' },
  },
  {
    path: 'start',
    summary: 'run a server with this machine as its first worker node',
    description: 'Runs a server with its folders below ./.cairn, and a worker agent that registers with it.',
    options: serveOptions('./.cairn/data', './.cairn/log', 'http://127.0.0.1:8080'),
    examples: [
      { command: 'cairn start', what: 'Try Cairn on this machine' },
      { command: 'cairn start --addr http://127.0.0.1:9000', what: 'The same, on another port' },
    ],
    exitCodes: { 1: 'failed' },
  },
  {
    path: 'health',
    summary: 'check that the server on this machine is ready',
    description: 'Asks the server that uses this data folder for /readyz. For container health checks.',
    options: [DATA_DIR],
    examples: [
      { command: 'cairn health', what: 'Check the installed server' },
      { command: 'cairn health --data-dir ./.cairn/data', what: 'Check the server of cairn start' },
    ],
    exitCodes: { 0: 'ready', 1: 'not ready' },
  },
  {
    path: 'backup',
    shared: 'output',
    summary: 'write an archive of the server, also while it is running',
    description:
      'Writes one tar archive with database, configuration, keys, certificates and node logs. Everything that was ' +
      'acknowledged before the backup began is in it. Keep it as safe as the server: it holds the keys.',
    options: [
      { flags: '--to FILE', meaning: 'the archive to write', required: true, completes: 'file' },
      {
        flags: '--keep N',
        meaning: 'archives of this server to keep in the folder of FILE, the new one included; older ones are removed',
        kind: 'count',
      },
      DATA_DIR,
      LOG_DIR,
    ],
    examples: [
      { command: 'sudo cairn backup --to /srv/backup/cairn.tar', what: 'Back up the installed server' },
      {
        command: 'sudo cairn backup --to /srv/backup/cairn-$(date +%F).tar --keep 7',
        what: 'Every day: keep the archives of a week',
      },
    ],
    exitCodes: { 1: 'failed' },
  },
  {
    path: 'backup verify',
    shared: 'output',
    summary: 'verify every byte of an archive',
    description: 'Names the first damaged part of an archive that cairn backup has written.',
    args: [{ name: 'FILE', meaning: 'the archive', completes: 'file' }],
    examples: [
      { command: 'cairn backup verify /srv/backup/cairn.tar', what: 'Verify an archive' },
      {
        command: 'cairn backup verify /srv/backup/cairn.tar || mail -s "damaged backup" root',
        what: 'Tell somebody where it is damaged',
      },
    ],
    exitCodes: { 0: 'intact', 1: 'damaged' },
  },
  {
    path: 'verify',
    summary: 'verify every page and record of the database',
    description:
      'Reads the whole database of the server that uses this data folder, names every record whose checksum does not ' +
      'fit, and compares the rows in which jobs are listed with the jobs. While the server is running, the structure of ' +
      'the pages is not checked. Nothing is changed, unless --repair is given: then the rows are made again from the ' +
      'jobs, and jobs whose records are damaged are removed, because no sweep could. Back up before.',
    options: [{ flags: '--repair', meaning: 'mend what is about jobs; the server must be stopped' }, DATA_DIR],
    examples: [
      { command: 'sudo cairn verify', what: 'Verify the installed server’s database' },
      { command: 'cairn verify --data-dir ./data', what: 'Verify that of another data folder' },
      { command: 'sudo cairn verify --repair', what: 'Mend the lists of jobs, with the server stopped' },
    ],
    exitCodes: { 0: 'intact, or mended', 1: 'damaged, or not readable' },
  },
  {
    path: 'restore',
    shared: 'output',
    summary: 'restore an archive into empty folders, or undo an upgrade',
    description:
      'Verifies an archive of cairn backup, then restores it into empty folders. Tokens of nodes stay valid. With ' +
      '--undo-upgrade: brings back the data folder as it was before a newer version migrated it, and keeps the newer ' +
      'database in it as after-<schema>/; the server must be stopped.',
    args: [{ name: 'FILE', meaning: 'the archive', optional: true, completes: 'file' }],
    options: [{ flags: '--undo-upgrade', meaning: 'go back to before the last upgrade' }, DATA_DIR, LOG_DIR],
    examples: [
      { command: 'sudo cairn restore /srv/backup/cairn.tar', what: 'Restore the installed server on a new machine' },
      {
        command: 'sudo cairn restore --undo-upgrade --data-dir /var/lib/cairn',
        what: 'Go back, after the older version was installed again',
      },
    ],
    exitCodes: { 1: 'failed; nothing was restored' },
  },
  {
    path: 'doctor',
    summary: 'say what is wrong with the server, and what to do about it',
    description:
      'Asks the server, or with --data-dir looks on its own host, also while it is not running: full disk, stale readers, ' +
      'slow flushes, stalls, clock, limits, certificate, permissions, journal, age of the backup, old agents, signing ' +
      'key. Then lists the checks that are in order with what they saw.',
    api: true,
    options: [
      {
        flags: '--data-dir DIR',
        meaning: 'look on this host, at the server that uses this folder',
        completes: 'folder',
      },
      LOG_DIR,
    ],
    examples: [
      { command: 'sudo cairn doctor --data-dir /var/lib/cairn', what: 'On the server’s own host' },
      { command: 'cairn doctor --server https://cairn.example.com --json', what: 'From elsewhere, for a script' },
    ],
    exitCodes: { 0: 'no findings', 1: 'findings, or failed' },
  },
  {
    path: 'idp disable',
    summary: 'disable the identity provider, on the server’s own host',
    description:
      'Disables the identity provider of the server that uses this data folder, whether or not it is running.',
    options: [DATA_DIR],
    examples: [
      { command: 'sudo cairn idp disable', what: 'Let everybody in again after a lock-out' },
      { command: 'cairn idp disable --data-dir ./data', what: 'The same for a server with another data folder' },
    ],
    exitCodes: { 1: 'failed' },
  },
  {
    path: 'audit verify',
    summary: 'verify the audit log',
    description:
      'Verifies the audit log’s hash chain of the server that uses this data folder, whether or not it is running. Prints ' +
      'the number and hash of the last record. Compare the hash with the one in the server log, or in a copy of it ' +
      'elsewhere: anyone who can write the whole database can also write a whole new chain.',
    options: [DATA_DIR],
    examples: [
      { command: 'sudo cairn audit verify', what: 'Verify the installed server’s audit log' },
      { command: 'cairn audit verify --data-dir ./data', what: 'Verify that of another data folder' },
    ],
    exitCodes: { 0: 'intact', 1: 'not intact, or not readable' },
  },
];
