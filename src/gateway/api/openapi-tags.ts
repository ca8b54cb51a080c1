/** The headings under which the OpenAPI document lists its operations. */
import type { Route } from '../http/route.ts';

export const TAGS = [
  { name: 'Jobs', description: 'Jobs with their events, output and claims; queues' },
  { name: 'Nodes', description: 'Worker nodes: registration, heartbeats, drains, interruption notices and reclaims' },
  { name: 'Metrics', description: 'Definitions, time series, sums and samples' },
  { name: 'Logs', description: 'Logs of nodes and of the server' },
  { name: 'Events', description: 'What happens, as it happens; webhooks' },
  { name: 'Configuration', description: 'Settings of the server and of its workers' },
  { name: 'Security', description: 'Identity provider, tokens and the audit log' },
  { name: 'Installation', description: 'How a machine becomes a worker' },
  { name: 'Server', description: 'Health of the server, and this document' },
] as const;

type Tag = (typeof TAGS)[number]['name'];

/** By the beginning of the path; the first that fits. */
const BY_PATH: readonly (readonly [RegExp, Tag])[] = [
  [/^\/api\/v1\/(job|queue)\b/, 'Jobs'],
  [/^\/api\/v1\/nodes\b|^\/nodes\b|\/log\/|\.log$/, 'Logs'],
  [/^\/api\/v1\/(node|heartbeat|reclaim)\b/, 'Nodes'],
  [/^\/api\/v1\/metric/, 'Metrics'],
  [/^\/api\/v1\/(event|webhook)\b/, 'Events'],
  [/^\/api\/v1\/(config|configKV|ckptConfig)\b/, 'Configuration'],
  [/^\/api\/v1\/(security|audit)\b/, 'Security'],
  [/^\/api\/v1\/(scripts|agent)\b/, 'Installation'],
];

export function tagOf({ path }: Route): Tag {
  return BY_PATH.find(([form]) => form.test(path))?.[1] ?? 'Server';
}
