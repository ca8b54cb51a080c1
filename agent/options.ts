/** Every option of `cairn agent`, from flags and environment; a flag takes precedence. Pure: the code that needs a file reads it. */
import { resolve } from 'node:path';
import type { FlagValues } from '../src/base/command-input.ts';
import type { LogLevel } from '../src/base/log-level.ts';
import { UsageError } from '../src/base/usage-error.ts';
import { idSchema } from '../src/protocol/id.ts';
import { AGENT_LOG_LEVELS } from './base/log.ts';

/** How beats go: over a WebSocket and over HTTP where there is none, or over one of them only. */
export const TRANSPORTS = ['auto', 'websocket', 'http'] as const;
export type Transport = (typeof TRANSPORTS)[number];

export interface AgentOptions {
  /** Of the cluster, in the order in which they are tried: origin and perhaps a path, without a slash at the end. */
  readonly servers: readonly string[];
  /** Null: the instance's id. */
  readonly id: string | null;
  readonly dataFolder: string;
  /** Absolute, each once. */
  readonly logFiles: readonly string[];
  readonly token: string | null;
  readonly tokenFile: string | null;
  /** Good for registering only; the server then issues the node's own. */
  readonly joinToken: string | null;
  readonly caFile: string | null;
  /** The certificate that the agent shows, and its key. */
  readonly identityFiles: { readonly cert: string; readonly key: string } | null;
  readonly insecure: boolean;
  readonly transport: Transport;
  readonly diskPath: string;
  readonly pricePerHour: number | null;
  readonly onDemandPricePerHour: number | null;
  readonly deregisterOnExit: boolean;
  readonly logLevel: LogLevel;
  /** Null: do not ask for instance metadata. */
  readonly imdsUrl: string | null;
}

interface AgentFlags {
  readonly server?: string;
  readonly id?: string;
  readonly 'data-dir'?: string;
  readonly log?: readonly string[];
  readonly token?: string;
  readonly 'token-file'?: string;
  readonly 'join-token'?: string;
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly insecure?: boolean;
  readonly transport?: string;
  readonly 'disk-path'?: string;
  readonly 'price-per-hour'?: string;
  readonly 'on-demand-price-per-hour'?: string;
  readonly 'deregister-on-exit'?: boolean;
  readonly 'log-level'?: string;
}

/** Each is a file descriptor and a position that are held for as long as the agent runs. */
const LOG_FILES_MAX = 64;
/** A cluster has three or five. */
const SERVERS_MAX = 16;
/** The protocol's own bound of a price. */
const PRICE_MAX = 1e6;
const IMDS_URL = 'http://169.254.169.254';

/** Throws `UsageError`. */
export function readOptions(flags: FlagValues, env: Readonly<Record<string, string | undefined>>): AgentOptions {
  const values = flags as AgentFlags;
  const given = (flag: string | undefined, variable: string): string | null => flag ?? (env[variable] || null);
  const id = given(values.id, 'CAIRN_NODE_ID');
  if (id !== null && !idSchema.safeParse(id).success) {
    throw new UsageError(`cannot use the id ${id}: want 1 to 128 characters of A-Z a-z 0-9 . _ : @ -`);
  }
  return {
    servers: serversOf(given(values.server, 'CAIRN_SERVER') ?? 'http://127.0.0.1:8080'),
    id,
    dataFolder: resolve(given(values['data-dir'], 'CAIRN_AGENT_DIR') ?? '/var/lib/cairn-agent'),
    logFiles: logFilesOf(values.log ?? (env['CAIRN_AGENT_LOGS'] ?? '').split(',')),
    token: given(values.token, 'CAIRN_NODE_TOKEN'),
    tokenFile: values['token-file'] ?? null,
    joinToken: given(values['join-token'], 'CAIRN_JOIN_TOKEN'),
    caFile: given(values.ca, 'CAIRN_CA'),
    identityFiles: identityFilesOf(given(values.cert, 'CAIRN_CLIENT_CERT'), given(values.key, 'CAIRN_CLIENT_KEY')),
    insecure: values.insecure ?? false,
    transport: oneOf(TRANSPORTS, values.transport ?? 'auto', '--transport'),
    diskPath: resolve(values['disk-path'] ?? '/'),
    pricePerHour: priceOf(values['price-per-hour'], '--price-per-hour'),
    onDemandPricePerHour: priceOf(values['on-demand-price-per-hour'], '--on-demand-price-per-hour'),
    deregisterOnExit: values['deregister-on-exit'] ?? false,
    logLevel: oneOf(AGENT_LOG_LEVELS, values['log-level'] ?? 'info', '--log-level'),
    imdsUrl: imdsUrlOf(env['CAIRN_IMDS_URL'] || IMDS_URL),
  };
}

function identityFilesOf(cert: string | null, key: string | null): AgentOptions['identityFiles'] {
  if (cert === null && key === null) return null;
  if (cert !== null && key !== null) return { cert, key };
  throw new UsageError(
    'cannot use a certificate without its key, or a key without its certificate: want both, or neither',
  );
}

function serversOf(text: string): string[] {
  const servers = [...new Set(text.split(',').map((one) => mustBeUrl(one.trim(), '--server')))];
  if (servers.length <= SERVERS_MAX) return servers;
  throw new UsageError(`cannot use ${servers.length} servers: the limit is ${SERVERS_MAX}`);
}

function mustBeUrl(text: string, name: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && url.hostname !== '' && url.search === '' && url.username === '') {
    return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
  }
  throw new UsageError(`cannot use ${name} ${text}: want http://host:port or https://host:port`);
}

function imdsUrlOf(text: string): string | null {
  if (text === 'off') return null;
  // The service speaks plain HTTP only: it is an address of the hypervisor, not of a network.
  if (text.startsWith('http://')) return mustBeUrl(text, 'CAIRN_IMDS_URL');
  throw new UsageError(`cannot use CAIRN_IMDS_URL ${text}: want http://host:port or off`);
}

function logFilesOf(texts: readonly string[]): string[] {
  const files = [
    ...new Set(
      texts
        .map((text) => text.trim())
        .filter((text) => text !== '')
        .map((text) => resolve(text)),
    ),
  ];
  if (files.length <= LOG_FILES_MAX) return files;
  throw new UsageError(`cannot ship ${files.length} log files: the limit is ${LOG_FILES_MAX}`);
}

function priceOf(text: string | undefined, name: string): number | null {
  if (text === undefined) return null;
  const price = Number(text);
  if (text.trim() !== '' && price >= 0 && price <= PRICE_MAX) return price;
  throw new UsageError(`cannot use ${name} ${text}: want USD an hour, 0 to ${PRICE_MAX}`);
}

function oneOf<T extends string>(choices: readonly T[], text: string, name: string): T {
  const choice = choices.find((known) => known === text);
  if (choice) return choice;
  throw new UsageError(`cannot use ${name} ${text}: want one of ${choices.join(', ')}`);
}
