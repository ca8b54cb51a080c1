#!/usr/bin/env node
/**
 * The command line: which command, and what its failure looks like. No logic. A command's code is loaded when it is asked
 * for: the agent on a worker node needs none of the server's packages.
 */
import { readFileSync } from 'node:fs';
import { isUsageError } from './base/usage-error.ts';

const HELP = `cairn: manages batch workloads on cloud worker nodes with periodic checkpoint and restore

  cairn serve                     run the server
  cairn agent                     run the worker agent on this machine
  cairn run -- COMMAND [ARG...]   run a command as a job of this machine's agent
  cairn agent check               check whether jobs of this machine can be checkpointed
  cairn job checkpoint ID         save a job of this machine now
  cairn image list JOB            list the images of a job; also show, verify
  cairn fleet                     run a simulated fleet against a server and verify the results
  cairn start                     run a server with this machine as its first worker node
  cairn idp disable --data-dir D  disable the identity provider, on the server's own host
  cairn audit verify --data-dir D verify the audit log
  cairn health                    check that the server on this machine is ready
  cairn version

  cairn COMMAND --help            show the options of a command
`;

type Command = (args: readonly string[]) => Promise<number>;

const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import('./commands/serve.ts')).serveCommand,
  start: async () => (await import('./commands/start.ts')).startCommand,
  health: async () => (await import('./commands/health.ts')).healthCommand,
  idp: async () => (await import('./commands/idp.ts')).idpCommand,
  audit: async () => (await import('./commands/audit.ts')).auditCommand,
  agent: async () => (await import('../agent/agent-command.ts')).agentCommand,
  run: async () => (await import('../agent/run/run-command.ts')).runCommand,
  job: async () => (await import('../agent/run/job-command.ts')).jobCommand,
  image: async () => (await import('../agent/images/image-command.ts')).imageCommand,
  fleet: async () => (await import('../fleet/fleet-command.ts')).fleetCommand,
  version: async () => version,
  '--version': async () => version,
  help: async () => help,
  '--help': async () => help,
  '-h': async () => help,
};

const version: Command = async () => {
  const path = new URL('../../package.json', import.meta.url);
  process.stdout.write(`${(JSON.parse(readFileSync(path, 'utf8')) as { version: string }).version}\n`);
  return 0;
};

const help: Command = async () => {
  process.stdout.write(HELP);
  return 0;
};

async function main([name, ...args]: readonly string[]): Promise<number> {
  const load = name !== undefined && Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (load) return (await load())(args);
  process.stderr.write(name === undefined ? HELP : `cairn: there is no command ${name}\n\n${HELP}`);
  return 2;
}

main(process.argv.slice(2)).then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`cairn: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(isUsageError(error) ? 2 : 1);
  },
);
