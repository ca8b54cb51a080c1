/** Commands that talk to a server: nodes, jobs, queues, metrics, logs and events. */
import type { ArgumentSpec, CommandSpec, OptionSpec } from '../frame/spec.ts';

const FOLLOW: OptionSpec = { flags: '-f, --follow', meaning: 'keep printing what is appended' };

const LIMIT: OptionSpec = { flags: '--limit N', meaning: 'at most so many, up to 10,000', kind: 'count' };

const LIST: readonly OptionSpec[] = [
  { flags: '--sort FIELD', meaning: 'order by this field; a leading - sorts in descending order: --sort=-updatedAt' },
  LIMIT,
  { flags: '--fields NAMES', meaning: 'only these fields, separated by commas' },
];

const RANGE: readonly OptionSpec[] = [
  { flags: '--start TIME', meaning: 'start of the range, RFC 3339 in UTC', kind: 'time' },
  { flags: '--end TIME', meaning: 'end of the range, exclusive', kind: 'time' },
];

const LOG: readonly OptionSpec[] = [
  { flags: '--tail N', meaning: 'only the last lines', kind: 'count' },
  { flags: '--q TEXT', meaning: 'only lines that contain this text' },
  FOLLOW,
];

const NODE: ArgumentSpec = { name: 'ID', meaning: 'id of the node', completes: 'node' };
const JOB: ArgumentSpec = { name: 'ID', meaning: 'id of the job', completes: 'job' };

export const NODE_COMMANDS: readonly CommandSpec[] = [
  {
    path: 'node list',
    summary: 'list worker nodes',
    description: 'Lists worker nodes, by default those that run.',
    api: true,
    options: [
      {
        flags: '--state STATE',
        meaning: 'only nodes in this state; by default alive and late ones',
        choices: ['running', 'all', 'alive', 'late', 'lost', 'deregistered'],
      },
      { flags: '--cloud NAME', meaning: 'only nodes of this cloud' },
      { flags: '--zone ZONE', meaning: 'only nodes of this zone' },
      { flags: '--instance-type TYPE', meaning: 'only nodes of this instance type' },
      { flags: '--pay-type TYPE', meaning: 'only nodes of this pay type' },
      { flags: '--heartbeat-after TIME', meaning: 'only nodes whose last heartbeat is after this time', kind: 'time' },
      {
        flags: '--heartbeat-before TIME',
        meaning: 'only nodes whose last heartbeat is before this time',
        kind: 'time',
      },
      { flags: '--q TEXT', meaning: 'only nodes with this text in id, host name, addresses, processor or instance' },
      ...LIST,
    ],
    examples: [
      { command: 'cairn node list --state lost', what: 'Nodes that were lost in the last 30 days' },
      { command: 'cairn node list --pay-type Spot --output csv', what: 'Spot nodes, for a spreadsheet' },
    ],
  },
  {
    path: 'node show',
    summary: 'show a node',
    api: true,
    args: [NODE],
    examples: [
      { command: 'cairn node show i-0abc', what: 'Everything that is known of a node' },
      { command: 'cairn node show i-0abc --json | jq .instance', what: 'A part of it, for a script' },
    ],
  },
  {
    path: 'node logs',
    summary: 'list the log files of a node, or read one',
    api: true,
    args: [NODE, { name: 'FILE', meaning: 'path of the log on the node', optional: true }],
    options: [...LOG, { flags: '--job ID', meaning: 'stop following when this job ends', completes: 'job' }],
    examples: [
      { command: 'cairn node logs i-0abc', what: 'Which logs the node has sent' },
      { command: 'cairn node logs i-0abc /var/log/syslog --tail 20 -f', what: 'Follow one of them' },
    ],
  },
  {
    path: 'node drain',
    summary: 'have a node take no new jobs',
    description: 'Drains a node: its agent takes no new jobs, and running jobs continue.',
    api: true,
    args: [NODE],
    options: [{ flags: '--undo', meaning: 'let the node take jobs again' }],
    examples: [
      { command: 'cairn node drain i-0abc', what: 'Before maintenance' },
      { command: 'cairn node drain i-0abc --undo', what: 'After it' },
    ],
  },
  {
    path: 'node explain',
    summary: 'explain the state of a node and what to do',
    api: true,
    args: [NODE],
    examples: [
      { command: 'cairn node explain i-0abc', what: 'Why a node is late' },
      { command: 'cairn node explain i-0abc --json', what: 'The findings, for a script' },
    ],
  },
];

export const JOB_COMMANDS: readonly CommandSpec[] = [
  {
    path: 'job list',
    summary: 'list jobs',
    description: 'Lists jobs, oldest first. A million jobs are listed in constant memory.',
    api: true,
    options: [
      { flags: '--queue NAME', meaning: 'only jobs of this queue', completes: 'queue' },
      { flags: '--status STATUS', meaning: 'only jobs of this status, such as Running; repeatable', repeatable: true },
      {
        flags: '--phase PHASE',
        meaning:
          'only jobs in this phase: starting, running, restoring, stranded, succeeded, failed or stopped; repeatable',
        repeatable: true,
      },
      { flags: '--node ID', meaning: 'only jobs on this node', completes: 'node' },
      { flags: '--created-after TIME', meaning: 'only jobs created after this time', kind: 'time' },
      { flags: '--created-before TIME', meaning: 'only jobs created before this time', kind: 'time' },
      { flags: '--updated-after TIME', meaning: 'only jobs whose last event is after this time', kind: 'time' },
      { flags: '--updated-before TIME', meaning: 'only jobs whose last event is before this time', kind: 'time' },
      {
        flags: '--q TEXT',
        meaning: 'only jobs with this text in id, name, queue, node, container, batch job or volume ids',
      },
      ...LIST,
    ],
    examples: [
      { command: 'cairn job list --queue nightly --status Failed', what: 'Failed jobs of a queue' },
      { command: 'cairn job list --sort=-updatedAt --limit 20', what: 'What changed last' },
      { command: 'cairn job list --output ndjson | jq -r .id', what: 'Every id, for a script' },
    ],
  },
  {
    path: 'job show',
    summary: 'show a job with its events',
    api: true,
    args: [JOB],
    examples: [
      { command: 'cairn job show render-17', what: 'A job and what happened to it' },
      { command: 'cairn job show render-17 --json | jq .workAtRisk', what: 'One value, for a script' },
    ],
  },
  {
    path: 'job logs',
    summary: 'print what a job wrote',
    description:
      'Prints the job’s standard output as one uninterrupted run would have written it: joined over its copies, without ' +
      'what a dead copy wrote beyond the checkpoint that was restored.',
    api: true,
    args: [JOB],
    options: [
      { flags: '--stderr', meaning: 'standard error instead' },
      { flags: '--copy WHICH', meaning: 'last: only what the newest copy wrote', choices: ['last'] },
      FOLLOW,
    ],
    examples: [
      { command: 'cairn job logs render-17 -f', what: 'Follow a job, also to other nodes, until it ends' },
      { command: 'cairn job logs render-17 --stderr --copy last', what: 'What the newest copy complained about' },
    ],
  },
  {
    path: 'job bundle',
    summary: 'download everything about a job in one file',
    description:
      'Writes ID.tar.gz to the current folder: the job, its output, the logs of its nodes, the server log’s lines.',
    api: true,
    args: [JOB],
    options: [{ flags: '--to FILE', meaning: 'write to this file; - is standard output', completes: 'file' }],
    examples: [
      { command: 'cairn job bundle render-17', what: 'For a ticket' },
      { command: 'cairn job bundle render-17 --to - | tar tzf -', what: 'What would be in it' },
    ],
  },
  {
    path: 'job explain',
    summary: 'explain the state of a job and what to do',
    api: true,
    args: [JOB],
    examples: [
      { command: 'cairn job explain render-17', what: 'Why a job does not get on' },
      { command: 'cairn job explain render-17 --json', what: 'The findings, for a script' },
    ],
  },
  {
    path: 'queue list',
    summary: 'list queues with their jobs by phase',
    api: true,
    examples: [
      { command: 'cairn queue list', what: 'All queues' },
      { command: 'cairn queue list --output csv', what: 'The same for a spreadsheet' },
    ],
  },
];

export const METRIC_COMMANDS: readonly CommandSpec[] = [
  {
    path: 'metrics summary',
    summary: 'sum every job metric by queue',
    api: true,
    options: RANGE,
    examples: [
      { command: 'cairn metrics summary', what: 'Over everything that is retained' },
      {
        command: 'cairn metrics summary --start 2026-01-01T00:00:00Z --end 2026-02-01T00:00:00Z',
        what: 'Over a month',
      },
    ],
  },
  {
    path: 'metrics list',
    summary: 'list the series that exist',
    api: true,
    options: [
      {
        flags: '--object ID',
        meaning: 'only series of this object: system-total, queue-NAME, node-ID',
        completes: 'object',
      },
      { flags: '--definition NAME', meaning: 'only series of this metric', completes: 'metric' },
      { flags: '--q TEXT', meaning: 'only series whose name or id contains every word of this text' },
      LIMIT,
    ],
    examples: [
      { command: 'cairn metrics list --object system-total', what: 'What is known of all jobs together' },
      { command: 'cairn metrics list --definition cpuPercent', what: 'Which nodes report their load' },
    ],
  },
  {
    path: 'metrics series',
    summary: 'print the time series of one metric of one object',
    api: true,
    args: [
      { name: 'OBJECT', meaning: 'system-total, queue-NAME, node-ID or an object of your own', completes: 'object' },
      { name: 'DEFINITION', meaning: 'the metric, such as jobSubmitted', completes: 'metric' },
    ],
    options: [
      { flags: '--interval LEVEL', meaning: '1m, 30m or 24h; by default the finest that fits', kind: 'duration' },
      ...RANGE,
      {
        flags: '--agg HOW',
        meaning: 'another aggregation than the metric’s own',
        choices: ['sum', 'count', 'avg', 'min', 'max', 'last'],
      },
    ],
    examples: [
      { command: 'cairn metrics series system-total jobSubmitted --interval 24h', what: 'Jobs a day' },
      {
        command: 'cairn metrics series node-i-0abc cpuPercent --agg max --output csv',
        what: 'Peaks of a node, for a chart',
      },
    ],
  },
];

const serverLog = (name: 'server' | 'access', what: string): CommandSpec => ({
  path: `logs ${name}`,
  summary: `print the ${what} log`,
  api: true,
  options: LOG,
  examples: [
    { command: `cairn logs ${name} --tail 50`, what: 'The last lines' },
    { command: `cairn logs ${name} -f --q error`, what: 'New lines with a text, through rotations' },
  ],
});

export const LOG_COMMANDS: readonly CommandSpec[] = [
  serverLog('server', 'server'),
  serverLog('access', 'access'),
  {
    path: 'events',
    summary: 'print the events of nodes, jobs and the configuration',
    description:
      'Prints the retained events, one JSON object {id, event, data} a line, and then ends, unless -f is given.',
    api: true,
    options: [
      { flags: '--types NAMES', meaning: 'only events with these names, separated by commas' },
      { flags: '--queue NAMES', meaning: 'only events of jobs of these queues', completes: 'queue' },
      { flags: '--job IDS', meaning: 'only events of these jobs', completes: 'job' },
      { flags: '--node IDS', meaning: 'only events of these nodes, and of jobs on them', completes: 'node' },
      { flags: '--after ID', meaning: 'only events after this one', kind: 'count' },
      { ...FOLLOW, meaning: 'keep printing new events' },
    ],
    examples: [
      { command: 'cairn events --types node.lost,node.interruption', what: 'Nodes that went away in the last day' },
      { command: 'cairn events -f --queue nightly', what: 'Follow the jobs of a queue' },
    ],
  },
];
