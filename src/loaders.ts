/**
 * The code of each command, loaded when it is asked for: the agent on a worker node needs none of the server's packages, and
 * the commands that only talk to a server need neither.
 */
import type { Loaders } from '../cli/frame/dispatch.ts';
import type { CommandAction } from './base/command-input.ts';

const image = async (what: 'list' | 'show' | 'verify'): Promise<CommandAction> => {
  const { imageCommand } = await import('../agent/images/image-command.ts');
  return (input) => imageCommand(what, input);
};

export const LOADERS: Loaders = {
  serve: async () => (await import('./commands/serve.ts')).serveCommand,
  start: async () => (await import('./commands/start.ts')).startCommand,
  health: async () => (await import('./commands/health.ts')).healthCommand,
  'idp disable': async () => (await import('./commands/idp.ts')).idpCommand,
  'audit verify': async () => (await import('./commands/audit.ts')).auditCommand,
  agent: async () => (await import('../agent/agent-command.ts')).agentCommand,
  'agent check': async () => (await import('../agent/check/check-command.ts')).checkCommand,
  run: async () => (await import('../agent/run/run-command.ts')).runCommand,
  'job checkpoint': async () => (await import('../agent/run/job-command.ts')).jobCommand,
  'image list': () => image('list'),
  'image show': () => image('show'),
  'image verify': () => image('verify'),
  fleet: async () => (await import('../fleet/fleet-command.ts')).fleetCommand,
};
