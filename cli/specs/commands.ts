/** Every command, in the order in which help lists them. */
import type { CommandSpec } from '../frame/spec.ts';
import { HOST_COMMANDS } from './host.ts';
import { WORKER_COMMANDS } from './worker.ts';

export interface CommandGroup {
  readonly title: string;
  readonly commands: readonly CommandSpec[];
}

export const GROUPS: readonly CommandGroup[] = [
  { title: 'The server, on its own host', commands: HOST_COMMANDS },
  { title: 'Worker nodes', commands: WORKER_COMMANDS },
];

export const COMMANDS: readonly CommandSpec[] = GROUPS.flatMap(({ commands }) => commands);
