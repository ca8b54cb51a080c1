/** Every option of `cairn agent`, from flags and environment; a flag wins. Pure: files are read by whoever needs them. */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { LogLevel } from '../src/base/log-level.ts';
import { idSchema } from '../src/protocol/id.ts';
import { AGENT_LOG_LEVELS } from './base/log.ts';

/** How beats go: over a WebSocket and over HTTP where there is none, or over one of them only. */
export const TRANSPORTS = ['auto', 'websocket', 'http'] as const;
export type Transport = (typeof TRANSPORTS)[number];

export interface AgentOptions {
  /** Origin and perhaps a path, without a slash at the end. */
  readonly server: string;
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

export type OptionsResult =
  | { readonly kind: 'run'; readonly options: AgentOptions }
  | { readonly kind: 'help' }
  | { readonly kind: 'wrong'; readonly message: string };

export const AGENT_HELP = `cairn agent [options]

  --server URL                    the Cairn server                     CAIRN_SERVER      (http://127.0.0.1:8080)
  --id ID                         this node's id                       CAIRN_NODE_ID     (the instance's id)
  --data-dir DIR                  spool and state                      CAIRN_AGENT_DIR   (/var/lib/cairn-agent)
  --log FILE                      a log file to ship; repeatable       CAIRN_AGENT_LOGS  (none; comma-separated)
  --token TOKEN                   node token, or join token            CAIRN_NODE_TOKEN  (none)
  --token-file FILE               a file that holds the token
  --join-token TOKEN              used to obtain the node's own token  CAIRN_JOIN_TOKEN  (none)
  --ca FILE                       certificates to trust, PEM           CAIRN_CA          (those of the system)
  --cert FILE                     certificate to present, PEM          CAIRN_CLIENT_CERT (none)
  --key FILE                      its private key, PEM                 CAIRN_CLIENT_KEY  (none)
  --insecure                      accept any certificate
  --transport HOW                 how heartbeats are sent: ${TRANSPORTS.join(', ')}  (auto)
  --disk-path DIR                 the file system to report            (/)
  --price-per-hour USD            what this instance costs
  --on-demand-price-per-hour USD  what this instance would cost on demand
  --deregister-on-exit            deregister the node when the agent stops
  --log-level LEVEL               ${AGENT_LOG_LEVELS.join(', ')} (info)

A flag overrides the environment. CAIRN_IMDS_URL is the base address of the instance metadata service, or "off".
`;

const FLAGS = {
  server: { type: 'string' },
  id: { type: 'string' },
  'data-dir': { type: 'string' },
  log: { type: 'string', multiple: true },
  token: { type: 'string' },
  'token-file': { type: 'string' },
  'join-token': { type: 'string' },
  ca: { type: 'string' },
  cert: { type: 'string' },
  key: { type: 'string' },
  insecure: { type: 'boolean' },
  transport: { type: 'string' },
  'disk-path': { type: 'string' },
  'price-per-hour': { type: 'string' },
  'on-demand-price-per-hour': { type: 'string' },
  'deregister-on-exit': { type: 'boolean' },
  'log-level': { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** Each is a file descriptor and a position that are held for as long as the agent runs. */
const LOG_FILES_MAX = 64;
/** The protocol's own bound of a price. */
const PRICE_MAX = 1e6;
const IMDS_URL = 'http://169.254.169.254';

class WrongOption extends Error {}

export function readOptions(args: readonly string[], env: Readonly<Record<string, string | undefined>>): OptionsResult {
  try {
    const { values } = parseArgs({ args: [...args], options: FLAGS });
    if (values.help) return { kind: 'help' };
    const given = (flag: string | undefined, variable: string): string | null => flag ?? (env[variable] || null);
    const id = given(values.id, 'CAIRN_NODE_ID');
    if (id !== null && !idSchema.safeParse(id).success) {
      throw new WrongOption(`cannot use the id ${id}: want 1 to 128 characters of A-Z a-z 0-9 . _ : @ -`);
    }
    const options: AgentOptions = {
      server: mustBeUrl(given(values.server, 'CAIRN_SERVER') ?? 'http://127.0.0.1:8080', '--server'),
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
    return { kind: 'run', options };
  } catch (error) {
    // parseArgs throws a TypeError for an unknown flag; both are for the person at the terminal.
    if (error instanceof WrongOption || error instanceof TypeError) return { kind: 'wrong', message: error.message };
    throw error;
  }
}

function identityFilesOf(cert: string | null, key: string | null): AgentOptions['identityFiles'] {
  if (cert === null && key === null) return null;
  if (cert !== null && key !== null) return { cert, key };
  throw new WrongOption(
    'cannot use a certificate without its key, or a key without its certificate: want both, or neither',
  );
}

function mustBeUrl(text: string, name: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && url.hostname !== '' && url.search === '' && url.username === '') {
    return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
  }
  throw new WrongOption(`cannot use ${name} ${text}: want http://host:port or https://host:port`);
}

function imdsUrlOf(text: string): string | null {
  if (text === 'off') return null;
  // The service speaks plain HTTP only: it is an address of the hypervisor, not of a network.
  if (text.startsWith('http://')) return mustBeUrl(text, 'CAIRN_IMDS_URL');
  throw new WrongOption(`cannot use CAIRN_IMDS_URL ${text}: want http://host:port or off`);
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
  throw new WrongOption(`cannot ship ${files.length} log files: the limit is ${LOG_FILES_MAX}`);
}

function priceOf(text: string | undefined, name: string): number | null {
  if (text === undefined) return null;
  const price = Number(text);
  if (text.trim() !== '' && price >= 0 && price <= PRICE_MAX) return price;
  throw new WrongOption(`cannot use ${name} ${text}: want USD an hour, 0 to ${PRICE_MAX}`);
}

function oneOf<T extends string>(choices: readonly T[], text: string, name: string): T {
  const choice = choices.find((known) => known === text);
  if (choice) return choice;
  throw new WrongOption(`cannot use ${name} ${text}: want one of ${choices.join(', ')}`);
}
