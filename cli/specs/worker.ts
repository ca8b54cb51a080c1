/** Commands of worker nodes, and the simulated fleet. */
import type { CommandSpec, OptionSpec } from '../frame/spec.ts';

const AGENT_DIR: OptionSpec = {
  flags: '--data-dir DIR',
  meaning: 'the agent’s data folder',
  env: 'CAIRN_AGENT_DIR',
  default: '/var/lib/cairn-agent',
  completes: 'folder',
};

const IMAGE_PATH: OptionSpec = {
  flags: '--image-path DIR',
  meaning: 'the image folder',
  default: 'the one in the configuration that the agent last read',
  completes: 'folder',
};

const JSON_FLAG: OptionSpec = { flags: '--json', meaning: 'print JSON' };

const SERVER: OptionSpec = {
  flags: '--server URL',
  meaning: 'the Cairn server',
  env: 'CAIRN_SERVER',
  default: 'http://127.0.0.1:8080',
};

const CA: OptionSpec = {
  flags: '--ca FILE',
  meaning: 'certificates to trust, PEM',
  env: 'CAIRN_CA',
  default: 'those of the system',
  completes: 'file',
};

const SERVERS: OptionSpec = {
  ...SERVER,
  meaning: 'the Cairn server; of a cluster several, separated by commas: the next is used where one does not answer',
};

const AGENT: CommandSpec = {
  path: 'agent',
  summary: 'run the worker agent on this machine',
  description:
    'Registers this machine as a worker node, sends heartbeats, ships logs and runs jobs. A flag overrides the ' +
    'environment. CAIRN_IMDS_URL is the base address of the instance metadata service, or "off".',
  options: [
    SERVERS,
    { flags: '--id ID', meaning: 'this node’s id', env: 'CAIRN_NODE_ID', default: 'the instance’s id' },
    { ...AGENT_DIR, meaning: 'spool and state' },
    {
      flags: '--log FILE',
      meaning: 'a log file to ship; repeatable',
      env: 'CAIRN_AGENT_LOGS, comma-separated',
      repeatable: true,
      completes: 'file',
    },
    { flags: '--token TOKEN', meaning: 'node token, or join token', env: 'CAIRN_NODE_TOKEN' },
    { flags: '--token-file FILE', meaning: 'a file that holds the token', completes: 'file' },
    { flags: '--join-token TOKEN', meaning: 'used to obtain the node’s own token', env: 'CAIRN_JOIN_TOKEN' },
    CA,
    { flags: '--cert FILE', meaning: 'certificate to present, PEM', env: 'CAIRN_CLIENT_CERT', completes: 'file' },
    { flags: '--key FILE', meaning: 'its private key, PEM', env: 'CAIRN_CLIENT_KEY', completes: 'file' },
    { flags: '--insecure', meaning: 'accept any certificate' },
    {
      flags: '--transport HOW',
      meaning: 'how heartbeats are sent',
      choices: ['auto', 'websocket', 'http'],
      default: 'auto',
    },
    { flags: '--disk-path DIR', meaning: 'the file system to report', default: '/', completes: 'folder' },
    { flags: '--price-per-hour USD', meaning: 'what this instance costs' },
    { flags: '--on-demand-price-per-hour USD', meaning: 'what this instance would cost on demand' },
    { flags: '--deregister-on-exit', meaning: 'deregister the node when the agent stops' },
    {
      flags: '--log-level LEVEL',
      meaning: 'least severe messages to print',
      choices: ['trace', 'debug', 'info', 'warn', 'error', 'fatal'],
      default: 'info',
    },
  ],
  examples: [
    { command: 'cairn agent --server http://127.0.0.1:8080 --data-dir ./agent', what: 'Try the agent on this machine' },
    {
      command:
        'cairn agent --server https://cairn.example.com --token-file /etc/cairn/join-token --log /var/log/syslog',
      what: 'Join a server with a join token, and ship a log',
    },
  ],
  exitCodes: { 1: 'failed' },
};

const RUN: CommandSpec = {
  path: 'run',
  summary: 'run a command as a job of this machine’s agent',
  description:
    'Runs a command as a job of this node’s agent, which supervises it, checkpoints it, and can continue it on another ' +
    'node.',
  rest: 'COMMAND [ARG...]',
  options: [
    {
      flags: '--job ID',
      meaning: 'the job’s id; the same id on another node is the same job',
      env: 'CAIRN_JOB_ID, AWS_BATCH_JOB_ID, SLURM_JOB_ID',
      default: 'generated',
    },
    {
      flags: '--queue NAME',
      meaning: 'its queue',
      env: 'CAIRN_QUEUE, AWS_BATCH_JQ_NAME, SLURM_JOB_PARTITION',
      default: 'default',
    },
    { flags: '--name NAME', meaning: 'display name', default: 'from the command' },
    { flags: '--cpus N', meaning: 'processors, for accounting', default: '1' },
    { flags: '--memory-mb N', meaning: 'memory, for accounting' },
    {
      flags: '--engine ENGINE',
      meaning: 'how the job is checkpointed',
      choices: ['auto', 'criu', 'podman', 'none'],
      default: 'auto',
    },
    {
      flags: '--fresh WHEN',
      meaning: 'when to start from scratch',
      choices: ['last', 'never', 'always'],
      default: 'last',
    },
    AGENT_DIR,
  ],
  examples: [
    { command: 'cairn run --queue nightly -- ./simulate --steps 1000', what: 'Run a program as a job' },
    {
      command: 'cairn run --job render-17 --cpus 4 -- blender -b scene.blend -a',
      what: 'Start a job, or continue it if it ran before',
    },
  ],
  exitCodes: {
    69: 'no agent',
    75: 'the job cannot run here now (drained, reclaimed, claimed elsewhere)',
    127: 'command not found',
    128: '+ signal: the command was ended by it; otherwise the command’s own code',
  },
};

const image = (
  what: 'list' | 'show' | 'verify',
  summary: string,
  exitCodes: CommandSpec['exitCodes'],
): CommandSpec => ({
  path: `image ${what}`,
  summary,
  args: [
    { name: 'JOB', meaning: 'id of the job', completes: 'job' },
    ...(what === 'list' ? [] : [{ name: 'IMAGE', meaning: 'name of one image', optional: true } as const]),
  ],
  options: [AGENT_DIR, IMAGE_PATH, JSON_FLAG],
  examples: [
    { command: `cairn image ${what} render-17`, what: 'With the agent’s own image folder' },
    { command: `cairn image ${what} render-17 --image-path /mnt/cairn/checkpoints`, what: 'With another image folder' },
  ],
  exitCodes: { ...exitCodes, 3: 'no such image' },
});

const FLEET: CommandSpec = {
  path: 'fleet',
  summary: 'run a simulated fleet against a server and verify the results',
  description:
    'Simulates a fleet of worker nodes and jobs against a server, then reads everything back and compares it with its ' +
    'own model.',
  options: [
    SERVER,
    { flags: '--nodes N', meaning: 'nodes that run at the same time', default: '50' },
    { flags: '--jobs M', meaning: 'jobs', default: '200' },
    { flags: '--queues Q', meaning: 'queues', default: '5' },
    { flags: '--duration D', meaning: 'how long, in real time, e.g. 90s', default: '1m' },
    { flags: '--seed S', meaning: 'the same seed repeats the same run', default: '1' },
    { flags: '--speed X', meaning: 'simulated seconds per real second', default: '60' },
    { flags: '--batch N', meaning: 'heartbeats per call or frame', default: '1' },
    {
      flags: '--transport HOW',
      meaning: 'how heartbeats are sent',
      choices: ['auto', 'websocket', 'http'],
      default: 'auto',
    },
    { flags: '--prefix P', meaning: 'prefix of every id and queue name', default: 'fleet-SEED-TIME' },
    { flags: '--token T', meaning: 'bearer token of an administrator' },
    { flags: '--insecure', meaning: 'accept any certificate (accepted from loopback addresses)' },
    { flags: '--ca FILE', meaning: 'certificates to trust', completes: 'file' },
    { flags: '--no-verify', meaning: 'do not compare the results' },
    { flags: '--quiet', meaning: 'print no progress' },
    { flags: '--json', meaning: 'print the report as JSON' },
  ],
  examples: [
    { command: 'cairn fleet', what: 'Play 50 nodes and 200 jobs for a minute' },
    {
      command: 'cairn fleet --nodes 2000 --jobs 10000 --duration 10m --json',
      what: 'A larger fleet, with a report as JSON',
    },
  ],
  exitCodes: { 0: 'no difference and no error', 1: 'differences or errors', 2: 'invalid usage, or no server' },
};

export const WORKER_COMMANDS: readonly CommandSpec[] = [
  AGENT,
  {
    path: 'agent check',
    summary: 'check whether jobs of this machine can be checkpointed',
    description: 'Reports whether jobs of this machine can be checkpointed, what is missing, and how to fix it.',
    options: [AGENT_DIR, IMAGE_PATH, JSON_FLAG],
    examples: [
      { command: 'sudo cairn agent check', what: 'Check this machine' },
      {
        command: 'cairn agent check --image-path /mnt/shared --json',
        what: 'Check another image folder, for a script',
      },
    ],
    exitCodes: { 1: 'jobs cannot be checkpointed' },
  },
  RUN,
  {
    path: 'job checkpoint',
    summary: 'save a job of this machine now',
    description:
      'Checkpoints a running job of this machine’s agent now, whatever ckpt.ckptMode says, and prints the name of the ' +
      'image. If the job cannot be saved, prints the reason.',
    args: [{ name: 'ID', meaning: 'id of the job', completes: 'job' }],
    options: [AGENT_DIR],
    examples: [
      { command: 'cairn job checkpoint render-17', what: 'Save a job before maintenance' },
      {
        command: 'cairn job checkpoint render-17 --data-dir ./agent',
        what: 'The same, with an agent that has another folder',
      },
    ],
    exitCodes: { 1: 'the job was not saved', 3: 'the job does not run here', 69: 'no agent' },
  },
  image('list', 'list the images of a job, newest last', {}),
  image('show', 'print the manifest of an image, by default the newest', {}),
  image('verify', 'read every byte of each image, or of one, and compare it with its manifest', { 1: 'damaged' }),
  FLEET,
];
