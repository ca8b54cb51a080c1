/** Commands for administering a server from elsewhere: configuration, tokens, and the API's own description. */
import type { CommandSpec, OptionSpec } from '../frame/spec.ts';

const TTL: OptionSpec = {
  flags: '--ttl DURATION',
  meaning: 'how long the token is valid, such as 720h',
  kind: 'duration',
  required: true,
};

export const CONFIG_COMMANDS: readonly CommandSpec[] = [
  {
    path: 'config get',
    summary: 'print the configuration, or one setting',
    api: true,
    args: [{ name: 'KEY', meaning: 'dotted path, such as node.ttl or node', optional: true, completes: 'setting' }],
    examples: [
      { command: 'cairn config get', what: 'Every setting' },
      { command: 'cairn config get node.ttl', what: 'One value, for a script' },
    ],
  },
  {
    path: 'config set',
    summary: 'change settings, all of them or none',
    description:
      'Changes settings, all of them or none. A change is on disk before the command ends, and takes effect at once.',
    api: true,
    args: [{ name: 'KEY=VALUE', meaning: 'a setting and its new value', variadic: true, completes: 'setting' }],
    examples: [
      { command: 'cairn config set node.ttl=10m node.heartbeat=1m', what: 'Two settings at once' },
      { command: 'cairn config set security.idp.adminGroups=admin,root', what: 'A list' },
    ],
  },
  {
    path: 'config history',
    summary: 'list the last 100 changes of the configuration, newest first',
    api: true,
    examples: [
      { command: 'cairn config history', what: 'Who changed what' },
      { command: 'cairn config history --output csv', what: 'The same for a spreadsheet' },
    ],
  },
];

export const TOKEN_COMMANDS: readonly CommandSpec[] = [
  {
    path: 'token node',
    summary: 'make a token for one worker node',
    description: 'Makes a token with which an agent acts for this node only, and prints it.',
    api: true,
    args: [{ name: 'ID', meaning: 'id of the node', completes: 'node' }],
    options: [TTL],
    examples: [
      { command: 'cairn token node i-0abc --ttl 720h', what: 'For a month' },
      { command: 'cairn token node i-0abc --ttl 24h > node-token', what: 'Into a file for cairn agent --token-file' },
    ],
  },
  {
    path: 'token join',
    summary: 'make a token with which nodes can register',
    description: 'Makes a join token: good for registering only; a node then gets a token of its own.',
    api: true,
    options: [TTL],
    examples: [
      { command: 'cairn token join --ttl 24h', what: 'For nodes that start today' },
      { command: 'cairn token join --ttl 1h --json', what: 'With its expiry, for a script' },
    ],
  },
  {
    path: 'token service',
    summary: 'make a token for a program',
    api: true,
    options: [
      { flags: '--name NAME', meaning: 'what the token is for', required: true },
      { flags: '--role ROLE', meaning: 'what it may do', choices: ['viewer', 'operator', 'admin'], required: true },
      { flags: '--queue NAME', meaning: 'only for this queue; repeatable', repeatable: true, completes: 'queue' },
      TTL,
    ],
    examples: [
      { command: 'cairn token service --name prometheus --role viewer --ttl 8760h', what: 'To read metrics' },
      { command: 'cairn token service --name ci --role operator --queue nightly --ttl 720h', what: 'For one queue' },
    ],
  },
  {
    path: 'token list',
    summary: 'list service tokens, without the tokens themselves',
    api: true,
    examples: [
      { command: 'cairn token list', what: 'Which programs have a token' },
      { command: 'cairn token list --json', what: 'The same for a script' },
    ],
  },
  {
    path: 'token revoke',
    summary: 'revoke a service token, or all tokens of a node',
    description:
      'Revokes the service token of this id. An id that is no service token’s is that of a node: all its tokens are revoked.',
    api: true,
    args: [{ name: 'ID', meaning: 'id of the service token, or of the node', optional: true, completes: 'node' }],
    options: [{ flags: '--join', meaning: 'revoke every join token instead' }],
    examples: [
      { command: 'cairn token revoke i-0abc', what: 'After a node was compromised' },
      { command: 'cairn token revoke --join', what: 'When a join token has leaked' },
    ],
  },
];

export const API_COMMANDS: readonly CommandSpec[] = [
  {
    path: 'support-bundle',
    summary: 'write a file about the server for the person who helps you',
    description:
      'Writes one file with the configuration without secrets, its history, the findings of the doctor, metrics, queues, ' +
      'the last lines of the server’s logs, and versions. What the server does not give is left out, and named.',
    api: true,
    options: [{ flags: '--to FILE', meaning: 'write to this file', completes: 'file' }],
    examples: [
      { command: 'cairn support-bundle', what: 'For a ticket' },
      { command: 'cairn support-bundle --to ticket-17.tar.gz', what: 'Under a name of your own' },
    ],
  },
  {
    path: 'openapi',
    summary: 'print the API’s description (OpenAPI 3.1)',
    api: true,
    examples: [
      { command: 'cairn openapi > openapi.json', what: 'For a generator of clients' },
      { command: 'cairn openapi --server https://cairn.example.com', what: 'That of another server' },
    ],
  },
];

export const WEBHOOK_COMMANDS: readonly CommandSpec[] = [
  {
    path: 'webhook list',
    summary: 'list webhooks',
    api: true,
    examples: [
      { command: 'cairn webhook list', what: 'Who is told of events' },
      { command: 'cairn webhook list --json', what: 'The same for a script' },
    ],
  },
  {
    path: 'webhook set',
    summary: 'make or change a webhook',
    description: 'Makes or changes a webhook. Without a secret the server makes one and shows it this once.',
    api: true,
    args: [{ name: 'ID', meaning: 'id of the webhook', completes: 'webhook' }],
    options: [
      { flags: '--url URL', meaning: 'where events are sent', required: true },
      { flags: '--types NAMES', meaning: 'which events, separated by commas', required: true },
      { flags: '--queue NAME', meaning: 'only events of jobs of this queue', completes: 'queue' },
      { flags: '--job ID', meaning: 'only events of this job', completes: 'job' },
      { flags: '--node ID', meaning: 'only events of this node', completes: 'node' },
      { flags: '--event-types NAMES', meaning: 'of job events only these, such as Job-Failed,Job-Stopped' },
      { flags: '--format FORMAT', meaning: 'form of the body', choices: ['cairn', 'slack'], default: 'cairn' },
      { flags: '--secret-file FILE', meaning: 'a file that holds the secret to sign with', completes: 'file' },
    ],
    examples: [
      {
        command: 'cairn webhook set ops --url https://hooks.example.com/cairn --types node.lost,node.interruption',
        what: 'Tell of nodes that go away',
      },
      {
        command:
          'cairn webhook set team --url https://hooks.example.com/x --types job.event --event-types Job-Failed --format slack',
        what: 'Tell a channel about jobs that fail',
      },
    ],
  },
  {
    path: 'webhook pause',
    summary: 'stop deliveries of a webhook; its events wait',
    description:
      'Stops the deliveries of a webhook while its receiver is being worked on. Events wait, as long as ' +
      'security.webhooks.giveUpAfter; what is older is set aside.',
    api: true,
    args: [{ name: 'ID', meaning: 'id of the webhook', completes: 'webhook' }],
    examples: [
      { command: 'cairn webhook pause ops', what: 'Before work on the receiver' },
      { command: 'cairn webhook pause ops --json', what: 'The same for a script' },
    ],
  },
  {
    path: 'webhook resume',
    summary: 'deliver what waits for a paused webhook, and go on',
    api: true,
    args: [{ name: 'ID', meaning: 'id of the webhook', completes: 'webhook' }],
    examples: [
      { command: 'cairn webhook resume ops', what: 'The receiver is ready again' },
      { command: 'cairn webhook resume ops --json', what: 'The same for a script' },
    ],
  },
  {
    path: 'webhook test',
    summary: 'send a test event to a webhook',
    api: true,
    args: [{ name: 'ID', meaning: 'id of the webhook', completes: 'webhook' }],
    examples: [
      { command: 'cairn webhook test ops', what: 'Whether the other side takes it' },
      { command: 'cairn webhook test ops --json', what: 'The same for a script' },
    ],
  },
  {
    path: 'webhook remove',
    summary: 'remove a webhook',
    api: true,
    args: [{ name: 'ID', meaning: 'id of the webhook', completes: 'webhook' }],
    examples: [
      { command: 'cairn webhook remove ops', what: 'Nobody is told any more' },
      { command: 'cairn webhook remove ops --json', what: 'The same for a script' },
    ],
  },
];

export const SIGN_IN_COMMANDS: readonly CommandSpec[] = [
  {
    path: 'login',
    summary: 'sign in to a server with an identity provider',
    description:
      'Signs in with a browser on this machine, or, if the provider is a user pool, with a user name and a password that is ' +
      'asked for. The token is stored for this server only, in ~/.config/cairn/credentials.json.',
    api: true,
    options: [
      { flags: '--username NAME', meaning: 'sign in to a user pool with a password' },
      {
        flags: '--port N',
        meaning: 'port of the redirect on 127.0.0.1, if the provider wants it fixed',
        kind: 'count',
      },
      { flags: '--no-browser', meaning: 'only print the address to open' },
    ],
    examples: [
      { command: 'cairn login --server https://cairn.example.com', what: 'With a browser' },
      { command: 'cairn login --username ada', what: 'With a password, in a user pool' },
    ],
  },
  {
    path: 'logout',
    summary: 'forget the stored token of a server',
    api: true,
    examples: [
      { command: 'cairn logout', what: 'Of the default server' },
      { command: 'cairn logout --server https://cairn.example.com', what: 'Of another one' },
    ],
  },
  {
    path: 'whoami',
    summary: 'print who you are to the server, and your roles',
    api: true,
    examples: [
      { command: 'cairn whoami', what: 'With the stored token' },
      { command: 'cairn whoami --token-file service-token', what: 'With that of a program' },
    ],
  },
];

export const SHELL_COMMANDS: readonly CommandSpec[] = [
  {
    path: 'completion',
    shared: 'none',
    summary: 'print a script that completes commands, flags and ids in a shell',
    args: [{ name: 'SHELL', meaning: 'which shell', choices: ['bash', 'zsh', 'fish'] }],
    examples: [
      { command: 'cairn completion bash > ~/.local/share/bash-completion/completions/cairn', what: 'For bash' },
      { command: 'cairn completion fish > ~/.config/fish/completions/cairn.fish', what: 'For fish' },
    ],
  },
];
