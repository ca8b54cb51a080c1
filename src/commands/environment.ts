/**
 * Every environment variable that the programs read, for `docs/reference/environment.md`. A test holds this table and the sources to
 * the same set. A flag with the same meaning takes precedence.
 */
export interface EnvironmentVariable {
  readonly name: string;
  /** The commands that read it. */
  readonly readBy: string;
  readonly meaning: string;
  readonly default: string;
}

export const ENVIRONMENT: readonly EnvironmentVariable[] = [
  {
    name: 'CAIRN_DATA_DIR',
    readBy: 'serve, start, backup, restore, doctor, health, idp, audit',
    meaning: '`--data-dir`: configuration and database',
    default: '`/var/lib/cairn`',
  },
  {
    name: 'CAIRN_LOG_DIR',
    readBy: 'serve, start, backup, restore',
    meaning: '`--log-dir`: server, access and node logs',
    default: '`/var/log/cairn`',
  },
  {
    name: 'CAIRN_LOG_ROOTS',
    readBy: 'serve, start',
    meaning: 'Additional folders in which `log.file` may be: absolute paths, separated by colons',
    default: 'none',
  },
  {
    name: 'CAIRN_PUBLIC_NAMES',
    readBy: 'serve, start',
    meaning:
      'Names and addresses by which clients reach this server, separated by commas, for the certificate that it makes for itself',
    default: 'this host’s name and addresses',
  },
  {
    name: 'CAIRN_ACME_DIRECTORY',
    readBy: 'serve, start',
    meaning:
      'Authority from which the server obtains and renews its certificate by ACME, for the host names in `CAIRN_PUBLIC_NAMES`: an https address, `letsencrypt` or `letsencrypt-staging`; setting it agrees to the authority’s terms of service',
    default: 'none: the certificate is self-made',
  },
  {
    name: 'CAIRN_ACME_EMAIL',
    readBy: 'serve, start',
    meaning: 'Whom the authority tells of trouble with the certificate',
    default: 'nobody',
  },
  {
    name: 'CAIRN_ACME_PORT',
    readBy: 'serve, start',
    meaning:
      'Port at which the authority’s challenges are answered, open only meanwhile; the authority asks at port 80',
    default: '`80`',
  },
  {
    name: 'CAIRN_ADDR',
    readBy: 'serve, start',
    meaning: '`--addr`: where a new server listens; once a configuration exists, it decides',
    default: '`https://0.0.0.0:443`',
  },
  {
    name: 'CAIRN_STATIC_DIR',
    readBy: 'serve, start',
    meaning: '`--static-dir`: the web frontend of a new server',
    default: 'the installed one',
  },
  {
    name: 'CAIRN_SHARDS',
    readBy: 'serve, start',
    meaning: '`--shards`: threads that handle requests, 1 to 64',
    default: 'cores - 1, at least 1',
  },
  {
    name: 'CAIRN_WORKERS',
    readBy: 'serve, start',
    meaning: '`--workers`: threads for queries, 1 to 64',
    default: 'cores - 1, at least 1',
  },
  {
    name: 'CAIRN_WARM_UP',
    readBy: 'serve, start',
    meaning:
      '`no` leaves out the warming of the threads for queries two seconds after the start: it saves some 0.4 s of processor time, and the first queries are slower',
    default: '`yes`',
  },
  {
    name: 'CAIRN_REPLICATE',
    readBy: 'serve, start',
    meaning:
      '`--replicate`: servers of NATS JetStream that replicate this server, `nats://HOST:PORT` or `tls://HOST:PORT`, separated by commas',
    default: 'none: one server',
  },
  {
    name: 'CAIRN_CLUSTER',
    readBy: 'serve, start',
    meaning: '`--cluster`: the cluster that this server is part of',
    default: 'none',
  },
  {
    name: 'CAIRN_ADVERTISE',
    readBy: 'serve, start',
    meaning:
      '`--advertise`: the URL at which the other servers of the cluster reach this one; needed if `addr` is a wildcard',
    default: 'the address it listens on',
  },
  {
    name: 'CAIRN_REPLICATE_CREDS',
    readBy: 'serve, start',
    meaning: 'File of NATS credentials for the replication engine',
    default: 'none',
  },
  {
    name: 'CAIRN_REPLICATE_CA',
    readBy: 'serve, start',
    meaning: 'Certificates to trust of a replication engine with `tls://`, PEM',
    default: 'those of the system',
  },
  {
    name: 'CAIRN_CLUSTER_KEY_FILE',
    readBy: 'serve, start',
    meaning:
      'File of at least 32 random bytes, the same on every server: seals what the replication engine stores. Required unless the engine is on loopback',
    default: 'none',
  },
  {
    name: 'CAIRN_IDP_ISSUER',
    readBy: 'serve, start',
    meaning: 'Issuer of access tokens: any OpenID Connect provider instead of the user pool',
    default: 'the user pool of the settings',
  },
  {
    name: 'CAIRN_IDP_JWKS_URI',
    readBy: 'serve, start',
    meaning: 'Where the issuer’s keys are',
    default: '`<issuer>/.well-known/jwks.json`',
  },
  {
    name: 'CAIRN_IDP_GROUPS_CLAIM',
    readBy: 'serve, start',
    meaning: 'The claim that holds a user’s groups',
    default: '`cognito:groups`',
  },
  {
    name: 'CAIRN_COGNITO_ENDPOINT',
    readBy: 'serve, start',
    meaning: 'Base address of the user pool’s own API, with `CAIRN_IDP_ISSUER`',
    default: 'that of the region',
  },
  {
    name: 'CAIRN_TOKEN_LEEWAY_SECONDS',
    readBy: 'serve, start',
    meaning: 'How many seconds before its start or after its expiry a token is accepted, 0 to 60',
    default: '0',
  },
  {
    name: 'CAIRN_SERVER',
    readBy: 'agent, fleet, commands that talk to a server',
    meaning: '`--server`: the Cairn server; several of a cluster, separated by commas',
    default: '`http://127.0.0.1:8080`',
  },
  {
    name: 'CAIRN_TOKEN_FILE',
    readBy: 'commands that talk to a server',
    meaning: '`--token-file`: a file that holds the access token',
    default: 'what `cairn login` stored',
  },
  { name: 'CAIRN_NODE_ID', readBy: 'agent', meaning: '`--id`: this node’s id', default: 'the instance’s id' },
  {
    name: 'CAIRN_AGENT_DIR',
    readBy: 'agent, run, job, image',
    meaning: '`--data-dir`: spool and state',
    default: '`/var/lib/cairn-agent`',
  },
  {
    name: 'CAIRN_AGENT_LOGS',
    readBy: 'agent',
    meaning: '`--log`: log files to ship, separated by commas',
    default: 'none',
  },
  { name: 'CAIRN_NODE_TOKEN', readBy: 'agent', meaning: '`--token`: node token, or join token', default: 'none' },
  {
    name: 'CAIRN_JOIN_TOKEN',
    readBy: 'agent',
    meaning: '`--join-token`: used to obtain the node’s own token',
    default: 'none',
  },
  {
    name: 'CAIRN_CA',
    readBy: 'agent, commands that talk to a server',
    meaning: '`--ca`: certificates to trust, PEM',
    default: 'those of the system',
  },
  { name: 'CAIRN_CLIENT_CERT', readBy: 'agent', meaning: '`--cert`: certificate to present, PEM', default: 'none' },
  { name: 'CAIRN_CLIENT_KEY', readBy: 'agent', meaning: '`--key`: its private key, PEM', default: 'none' },
  {
    name: 'CAIRN_IMDS_URL',
    readBy: 'agent',
    meaning: 'Base address of the instance metadata service, or `off`',
    default: '`http://169.254.169.254`',
  },
  {
    name: 'CAIRN_GCP_METADATA_URL',
    readBy: 'agent',
    meaning: 'Base address of Google’s metadata service, for interruption notices, or `off`',
    default: '`http://metadata.google.internal`',
  },
  {
    name: 'CAIRN_AZURE_METADATA_URL',
    readBy: 'agent',
    meaning: 'Base address of Azure’s metadata service, for interruption notices, or `off`',
    default: '`http://169.254.169.254`',
  },
  { name: 'CAIRN_CRIU', readBy: 'agent', meaning: 'The program CRIU', default: '`criu` on the path' },
  { name: 'CAIRN_PODMAN', readBy: 'agent', meaning: 'The program podman', default: '`podman` on the path' },
  {
    name: 'CAIRN_HOLD',
    readBy: 'agent',
    meaning: 'The program that guards a job while CRIU saves it, compiled from `agent/shim/hold.c`',
    default: 'the installed one, or one compiled when it is first needed',
  },
  {
    name: 'CAIRN_SHIM',
    readBy: 'agent',
    meaning: 'The program that runs between the agent and a job, compiled from `agent/shim/shim.c`',
    default: 'the installed one, or one compiled when it is first needed',
  },
  {
    name: 'CAIRN_JOB_SLICE',
    readBy: 'agent',
    meaning: 'The systemd slice in which each job gets a scope of its own; the installed unit sets it',
    default: 'none: jobs stay in the agent’s control group',
  },
  {
    name: 'CAIRN_VOLUME_DRIVER',
    readBy: 'agent',
    meaning: 'Driver of the volumes of `job.volPerJob`: `local` or `ebs`',
    default: '`ebs` on AWS where there are credentials, else `local`',
  },
  {
    name: 'CAIRN_JOB_ID',
    readBy: 'run',
    meaning: '`--job`: the job’s id; then `AWS_BATCH_JOB_ID`, then `SLURM_JOB_ID`',
    default: 'generated',
  },
  {
    name: 'CAIRN_QUEUE',
    readBy: 'run',
    meaning: '`--queue`: the job’s queue; then `AWS_BATCH_JQ_NAME`, then `SLURM_JOB_PARTITION`',
    default: '`default`',
  },
  {
    name: 'UWS_HTTP_MAX_HEADERS_SIZE',
    readBy: 'serve, start',
    meaning: 'Maximum size of a request head in bytes',
    default: '16384',
  },
];
