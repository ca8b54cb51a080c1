/** `cairn serve`: options from flags and environment, the ready line, signals, and the exit code. */
import { existsSync } from 'node:fs';
import { isIP } from 'node:net';
import { cpus } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { letSmallHeapsGrow } from '../actors/shard/host/heap-growth.ts';
import type { CommandInput } from '../base/command-input.ts';
import { CodedError } from '../base/errors.ts';
import { announceReady } from '../base/service/service-manager.ts';
import { UsageError } from '../base/usage-error.ts';
import { acmeSettingsOf } from '../control/acme/acme-settings.ts';
import { tryParseAddress } from '../protocol/address.ts';
import type { ClusterSettings, ServerOptions } from '../server/options.ts';
import { Server } from '../server/server.ts';
import { startInCluster } from '../server/start-in-cluster.ts';
import { keepGarbageYoung } from '../server/young-garbage.ts';
import { ConfigFile } from '../store/files/config-file.ts';
import { endForLostDatabase, isLostDatabase } from '../store/kv/end-process.ts';
import { logRootsOf } from '../store/logs/log-roots.ts';
import { clusterSettingsOf, mustBeReachable } from './cluster-settings.ts';

export interface ServeDefaults {
  readonly dataFolder: string;
  readonly logFolder: string;
  readonly addr: string;
}

const INSTALLED: ServeDefaults = {
  dataFolder: '/var/lib/cairn',
  logFolder: '/var/log/cairn',
  addr: 'https://0.0.0.0:443',
};

/** EX_SOFTWARE of sysexits.h. */
const GIVEN_UP = 70;

/** Resolves with the exit code when the server has stopped. */
export async function serveCommand(
  { values }: CommandInput,
  defaults: ServeDefaults = INSTALLED,
  onReady: (address: string) => void = () => {},
): Promise<number> {
  const given = (flag: string, variable: string): string | undefined =>
    (values[flag] as string | undefined) ?? process.env[variable];
  const addr = given('addr', 'CAIRN_ADDR');
  if (addr !== undefined && !tryParseAddress(addr, { allowPortZero: true })) {
    throw new UsageError(
      `cannot use --addr ${addr}: want scheme://host:port with http or https and an IP address or localhost`,
    );
  }
  const logFolder = given('log-dir', 'CAIRN_LOG_DIR');
  const staticFolder = given('static-dir', 'CAIRN_STATIC_DIR');
  const publicNames = publicNamesOf(process.env['CAIRN_PUBLIC_NAMES']);
  const dataFolder = resolve(given('data-dir', 'CAIRN_DATA_DIR') ?? defaults.dataFolder);
  const cluster = clusterSettingsOf(values, process.env);
  if (cluster) mustBeReachable(cluster, (await storedAddress(dataFolder)) ?? addr ?? defaults.addr);
  return run(
    {
      dataFolder,
      logFolder: resolve(logFolder ?? defaults.logFolder),
      logRoots: logRootsOf(process.env['CAIRN_LOG_ROOTS']),
      addr: addr ?? defaults.addr,
      publicNames,
      acme: acmeSettingsOf(process.env, publicNames),
      staticFolder: resolve(staticFolder ?? installedFrontend()),
      given: { addr: addr !== undefined, logFolder: logFolder !== undefined, staticFolder: staticFolder !== undefined },
      warmUp: yesOrNo(process.env['CAIRN_WARM_UP'], 'CAIRN_WARM_UP'),
      shards: countOf(values, 'shards', 'CAIRN_SHARDS'),
      workers: countOf(values, 'workers', 'CAIRN_WORKERS'),
    },
    cluster,
    onReady,
  );
}

async function run(
  given: Omit<ServerOptions, 'onGiveUp'>,
  cluster: ClusterSettings | null,
  onReady: (address: string) => void,
): Promise<number> {
  keepGarbageYoung();
  letSmallHeapsGrow();
  let end: (code: number) => void = () => {};
  const ended = new Promise<number>((resolve) => {
    end = resolve;
  });
  const options = { ...given, onGiveUp: () => end(GIVEN_UP) };
  const starting = cluster ? startInCluster(options, cluster) : Server.start(options);
  const server = await starting.catch((error: unknown) => {
    throw withWayOut(error, options.dataFolder);
  });
  process.stdout.write(`cairn ready ${server.address}\n`);
  onReady(server.address);
  const announceStop = announceReady();
  let asked = false;
  const stop = (): void => {
    // A second signal exits at once. Not by process.exit: threads with open sockets would abort the process.
    if (asked) process.kill(process.pid, 'SIGKILL');
    asked = true;
    announceStop();
    server.stop().then(
      () => end(0),
      () => end(1),
    );
  };
  // The writer ends the process as soon as it knows; a thread that reads may be the first to fail.
  process.on('uncaughtExceptionMonitor', (error) => {
    if (isLostDatabase(error)) endForLostDatabase(error);
  });
  process.on('SIGHUP', () => void server.reload());
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  const code = await ended;
  // Given up: what is durable is safe, the rest cannot be trusted; the service manager starts a new process.
  if (code === GIVEN_UP) {
    process.stderr.write(
      'cairn serve: a thread failed for good; the server log says why. What was acknowledged is safe: check the disk, then start the server again\n',
    );
    process.kill(process.pid, 'SIGKILL');
  }
  return code;
}

/** A flag does not change an address that is stored, and a server that does not start takes no call that does. */
function withWayOut(error: unknown, dataFolder: string): unknown {
  if (!(error instanceof CodedError) || error.name !== 'addressUnavailable') return error;
  return new Error(`${error.message}; free it, or change addr in ${new ConfigFile(dataFolder).path}`);
}

/** Of a configuration that exists: it decides. */
async function storedAddress(dataFolder: string): Promise<string | undefined> {
  return ((await new ConfigFile(dataFolder).read()) as { readonly addr?: string } | undefined)?.addr;
}

/** The dashboard, or the plain page where it was not built; beside the compiled server in a checkout and in a package alike. */
function installedFrontend(): string {
  const web = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..', 'web');
  const candidates = [join(web, 'dist'), join(web, 'plain')];
  return candidates.find((folder) => existsSync(join(folder, 'index.html'))) ?? (candidates[0] as string);
}

function countOf(values: CommandInput['values'], name: string, variable: string): number {
  const flag = values[name] as string | undefined;
  const text = flag ?? process.env[variable];
  if (text === undefined) return Math.max(1, cpus().length - 1);
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1 || count > 64)
    throw new UsageError(
      `cannot use ${flag === undefined ? `${variable}=` : `--${name} `}${text}: want a whole number from 1 to 64`,
    );
  return count;
}

function yesOrNo(text: string | undefined, name: string): boolean {
  if (text === undefined || text === 'yes') return true;
  if (text === 'no') return false;
  throw new UsageError(`cannot use ${name}=${text}: want yes or no`);
}

const NAME = /^(?=.{1,253}$)[A-Za-z0-9-]{1,63}(\.[A-Za-z0-9-]{1,63})*$/;

/** Throws `UsageError`. */
function publicNamesOf(text = ''): string[] {
  const names = text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const wrong = names.find((name) => name.includes('%') || (isIP(name) === 0 && !NAME.test(name)));
  if (wrong === undefined) return names;
  throw new UsageError(`cannot use CAIRN_PUBLIC_NAMES: ${wrong} is neither a host name nor an IP address`);
}
