/** `cairn agent`: options, the data folder, who this node is, signals, and the exit code. */
import { readFileSync } from 'node:fs';
import { systemClock } from '../src/base/clock.ts';
import type { CommandInput } from '../src/base/command-input.ts';
import { withInstalledServer } from '../src/base/service/installed-server.ts';
import { announceReady } from '../src/base/service/service-manager.ts';
import { Agent } from './agent.ts';
import { agentLog } from './base/log.ts';
import { lockFolder } from './folder-lock.ts';
import { identifyInstance } from './instance/identify.ts';
import { Client } from './link/client.ts';
import { Servers } from './link/servers.ts';
import { type AgentOptions, readOptions } from './options.ts';

/** Resolves with the exit code when the agent has stopped. */
export async function agentCommand({ values }: CommandInput): Promise<number> {
  return run(readOptions(values, withInstalledServer(process.env)));
}

async function run(options: AgentOptions): Promise<number> {
  const log = agentLog(options.logLevel, (line) => void process.stderr.write(line), systemClock.wallMs);
  // The reader of the output may have gone; the agent continues.
  process.stdout.on('error', () => {});
  process.stderr.on('error', () => {});
  const stopped = stopSignal();
  const claim = await lockFolder(options.dataFolder);
  const instance = await identifyInstance(options, log);
  const nodeId = options.id ?? instance.instanceId;
  log.info(`node ${nodeId} (${instance.cloud}, ${instance.instanceType}), server ${options.servers.join(', ')}`);
  const files = {
    ca: options.caFile === null ? null : readFileSync(options.caFile, 'utf8'),
    insecure: options.insecure,
    identity: options.identityFiles && {
      cert: readFileSync(options.identityFiles.cert, 'utf8'),
      key: readFileSync(options.identityFiles.key, 'utf8'),
    },
  };
  const servers = new Servers(
    options.servers.map((url) => ({ url, client: new Client({ server: url, ...files }) })),
    (url) => log.info(`going on with the server ${url}`),
  );
  const agent = new Agent({
    options,
    nodeId,
    instance,
    servers,
    claim,
    log,
    onFirstRegistered: () => process.stdout.write(`cairn agent: registered ${nodeId} with ${servers.url}\n`),
  });
  await agent.start();
  const announceStop = announceReady();
  log.info(`stopping: ${await stopped}`);
  announceStop();
  await agent.stop();
  await claim.release();
  return 0;
}

/** The first signal to stop. A second one ends the process at once: everything that matters is on disk. */
function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let asked = false;
    const onSignal = (signal: NodeJS.Signals): void => {
      if (asked) process.exit(1);
      asked = true;
      resolve(signal);
    };
    process.on('SIGTERM', onSignal);
    process.on('SIGINT', onSignal);
  });
}
