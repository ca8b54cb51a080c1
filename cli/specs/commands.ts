/** Every command, in the order in which help lists them. */
import type { CommandSpec } from '../frame/spec.ts';
import {
  API_COMMANDS,
  CONFIG_COMMANDS,
  SHELL_COMMANDS,
  SIGN_IN_COMMANDS,
  TOKEN_COMMANDS,
  WEBHOOK_COMMANDS,
} from './administration.ts';
import { JOB_COMMANDS, LOG_COMMANDS, METRIC_COMMANDS, NODE_COMMANDS } from './api.ts';
import { HOST_COMMANDS } from './host.ts';
import { WORKER_COMMANDS } from './worker.ts';

export interface CommandGroup {
  readonly title: string;
  readonly commands: readonly CommandSpec[];
}

export const GROUPS: readonly CommandGroup[] = [
  { title: 'Nodes', commands: NODE_COMMANDS },
  { title: 'Jobs', commands: JOB_COMMANDS },
  { title: 'Metrics', commands: METRIC_COMMANDS },
  { title: 'Logs and events', commands: LOG_COMMANDS },
  { title: 'Configuration', commands: CONFIG_COMMANDS },
  { title: 'Signing in', commands: SIGN_IN_COMMANDS },
  { title: 'Tokens', commands: TOKEN_COMMANDS },
  { title: 'Webhooks', commands: WEBHOOK_COMMANDS },
  { title: 'The API', commands: API_COMMANDS },
  { title: 'Shells', commands: SHELL_COMMANDS },
  { title: 'The server, on its own host', commands: HOST_COMMANDS },
  { title: 'Worker nodes', commands: WORKER_COMMANDS },
];

export const COMMANDS: readonly CommandSpec[] = GROUPS.flatMap(({ commands }) => commands);
