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
  'node list': async () => (await import('../cli/commands/nodes.ts')).nodeList,
  'node show': async () => (await import('../cli/commands/nodes.ts')).nodeShow,
  'node logs': async () => (await import('../cli/commands/nodes.ts')).nodeLogs,
  'node drain': async () => (await import('../cli/commands/nodes.ts')).nodeDrain,
  'node explain': async () => (await import('../cli/commands/nodes.ts')).nodeExplain,
  'job list': async () => (await import('../cli/commands/jobs.ts')).jobList,
  'job show': async () => (await import('../cli/commands/jobs.ts')).jobShow,
  'job logs': async () => (await import('../cli/commands/jobs.ts')).jobLogs,
  'job bundle': async () => (await import('../cli/commands/jobs.ts')).jobBundle,
  'job explain': async () => (await import('../cli/commands/jobs.ts')).jobExplain,
  'queue list': async () => (await import('../cli/commands/server.ts')).queueList,
  'metrics summary': async () => (await import('../cli/commands/metrics.ts')).metricsSummary,
  'metrics list': async () => (await import('../cli/commands/metrics.ts')).metricsList,
  'metrics series': async () => (await import('../cli/commands/metrics.ts')).metricsSeries,
  'logs server': async () => (await import('../cli/commands/server.ts')).logsServer,
  'logs access': async () => (await import('../cli/commands/server.ts')).logsAccess,
  events: async () => (await import('../cli/commands/server.ts')).events,
  'support-bundle': async () => (await import('../cli/commands/support-bundle.ts')).supportBundle,
  openapi: async () => (await import('../cli/commands/server.ts')).openapi,
  'config get': async () => (await import('../cli/commands/config.ts')).configGet,
  'config set': async () => (await import('../cli/commands/config.ts')).configSet,
  'config history': async () => (await import('../cli/commands/config.ts')).configHistory,
  'token node': async () => (await import('../cli/commands/tokens.ts')).tokenNode,
  'token join': async () => (await import('../cli/commands/tokens.ts')).tokenJoin,
  'token service': async () => (await import('../cli/commands/tokens.ts')).tokenService,
  'token list': async () => (await import('../cli/commands/tokens.ts')).tokenList,
  'token revoke': async () => (await import('../cli/commands/tokens.ts')).tokenRevoke,
  login: async () => (await import('../cli/commands/identity.ts')).login,
  logout: async () => (await import('../cli/commands/identity.ts')).logout,
  whoami: async () => (await import('../cli/commands/identity.ts')).whoami,
  'webhook list': async () => (await import('../cli/commands/webhooks.ts')).webhookList,
  'webhook set': async () => (await import('../cli/commands/webhooks.ts')).webhookSet,
  'webhook pause': async () => (await import('../cli/commands/webhooks.ts')).webhookPause,
  'webhook resume': async () => (await import('../cli/commands/webhooks.ts')).webhookResume,
  'webhook test': async () => (await import('../cli/commands/webhooks.ts')).webhookTest,
  'webhook remove': async () => (await import('../cli/commands/webhooks.ts')).webhookRemove,
  completion: async () => (await import('../cli/commands/completion.ts')).completion,
  serve: async () => (await import('./commands/serve.ts')).serveCommand,
  start: async () => (await import('./commands/start.ts')).startCommand,
  health: async () => (await import('./commands/health.ts')).healthCommand,
  backup: async () => (await import('./commands/backup.ts')).backupCommand,
  'backup verify': async () => (await import('./commands/backup.ts')).verifyCommand,
  verify: async () => (await import('./commands/verify.ts')).verifyDatabase,
  restore: async () => (await import('./commands/restore.ts')).restoreCommand,
  doctor: async () => {
    const { doctorCommand } = await import('../cli/commands/doctor.ts');
    return doctorCommand(async (values) => (await import('./commands/doctor.ts')).hostReport(values));
  },
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
