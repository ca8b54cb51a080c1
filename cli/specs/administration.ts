/** Commands of whoever administers a server from elsewhere: configuration, tokens, and the API's own description. */
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
    path: 'openapi',
    summary: 'print the API’s description (OpenAPI 3.1)',
    api: true,
    examples: [
      { command: 'cairn openapi > openapi.json', what: 'For a generator of clients' },
      { command: 'cairn openapi --server https://cairn.example.com', what: 'That of another server' },
    ],
  },
];
