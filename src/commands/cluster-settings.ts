/** How `cairn serve` is told of its cluster, from flags and environment. A flag takes precedence. */
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import type { FlagValues } from '../base/command-input.ts';
import { UsageError } from '../base/usage-error.ts';
import { isWildcard, tryParseAddress } from '../protocol/address.ts';
import type { ClusterSettings } from '../server/options.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const ENGINES_MAX = 16;
const ENGINE_PORT = 4_222;
const NAME = /^[A-Za-z0-9_-]{1,32}$/;
const KEY_BYTES_MIN = 32;

/** Null where the server stands alone. Throws `UsageError`. */
export function clusterSettingsOf(flags: FlagValues, env: Environment): ClusterSettings | null {
  const given = (flag: string, variable: string): string | null =>
    (flags[flag] as string | undefined) ?? (env[variable] || null);
  const replicate = given('replicate', 'CAIRN_REPLICATE');
  const cluster = given('cluster', 'CAIRN_CLUSTER');
  const advertise = given('advertise', 'CAIRN_ADVERTISE');
  if (replicate === null) {
    if (cluster === null && advertise === null) return null;
    const [flag, value] = cluster === null ? ['--advertise', advertise] : ['--cluster', cluster];
    throw new UsageError(`cannot use ${flag} ${value} without --replicate: name the replication engine with it`);
  }
  if (cluster === null) throw new UsageError('cannot use --replicate without --cluster: name the cluster with it');
  if (!NAME.test(cluster))
    throw new UsageError(`cannot use --cluster ${cluster}: want 1 to 32 characters of A-Z a-z 0-9 _ -`);
  const engine = enginesOf(replicate);
  const keyFile = fileOf(env, 'CAIRN_CLUSTER_KEY_FILE');
  if (keyFile === null && !engine.every(isOnLoopback))
    throw new UsageError(
      'cannot use --replicate with an engine on another machine without CAIRN_CLUSTER_KEY_FILE: name a file of at least ' +
        `${KEY_BYTES_MIN} random bytes with it, the same on every server`,
    );
  if (keyFile !== null && readFileSync(keyFile).byteLength < KEY_BYTES_MIN)
    throw new UsageError(`cannot use CAIRN_CLUSTER_KEY_FILE ${keyFile}: want at least ${KEY_BYTES_MIN} bytes`);
  return {
    engine,
    cluster,
    advertise: advertise === null ? null : urlOf(advertise),
    credsFile: fileOf(env, 'CAIRN_REPLICATE_CREDS'),
    caFile: fileOf(env, 'CAIRN_REPLICATE_CA'),
    keyFile,
  };
}

/** Throws where the others cannot reach this server at its own address. */
export function mustBeReachable({ advertise }: ClusterSettings, addr: string): void {
  const address = tryParseAddress(addr, { allowPortZero: true });
  if (advertise !== null || !address || !isWildcard(address)) return;
  throw new UsageError(
    `cannot use --replicate where the server listens on ${addr} without --advertise: the others need the URL of this server`,
  );
}

function enginesOf(text: string): string[] {
  const engines = text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
    .map(engineOf);
  if (engines.length > 0 && engines.length <= ENGINES_MAX) return [...new Set(engines)];
  throw new UsageError(`cannot use --replicate ${text}: want 1 to ${ENGINES_MAX} addresses`);
}

function engineOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isKnown = url && (url.protocol === 'nats:' || url.protocol === 'tls:');
  if (!isKnown || url.hostname === '' || url.username !== '' || !/^\/?$/.test(url.pathname) || url.search !== '')
    throw new UsageError(`cannot use --replicate ${text}: want nats://host:port or tls://host:port`);
  return `${url.protocol}//${url.hostname}:${url.port || ENGINE_PORT}`;
}

function isOnLoopback(engine: string): boolean {
  const host = new URL(engine).hostname.replace(/^\[|\]$/g, '');
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

function urlOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && url.hostname !== '' && url.pathname === '/' && url.search === '')
    return url.origin;
  throw new UsageError(`cannot use --advertise ${text}: want http://host:port or https://host:port`);
}

/** Read at the start, so that a wrong name ends the start and not the first takeover. */
function fileOf(env: Environment, variable: string): string | null {
  const file = env[variable] || null;
  if (file === null) return null;
  try {
    readFileSync(file);
    return file;
  } catch (error) {
    throw new UsageError(`cannot read ${variable} ${file}: ${(error as NodeJS.ErrnoException).code}`);
  }
}
