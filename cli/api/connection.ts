/** Which server a command talks to, how it knows it, and with which token: from flags, environment and this machine. */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { FlagValues } from '../../src/base/command-input.ts';
import { findInstalledServer } from '../../src/base/service/installed-server.ts';
import { UsageError } from '../../src/base/usage-error.ts';
import { type Credentials, storedCredentials } from './credentials.ts';

export interface Connection {
  /** Origin and perhaps a path, without a slash at the end. */
  readonly server: string;
  /** The other servers of its cluster that were named. */
  readonly others: readonly string[];
  /** Certificates to trust, PEM; null for those of the system. */
  readonly ca: string | null;
  /** DER of the one certificate that the server must show, whatever name it has; null where names are checked. */
  readonly pinned: Buffer | null;
  readonly token: string | null;
  /** What `cairn login` stored, if the token is from there. */
  readonly stored: Credentials | null;
}

type Environment = Readonly<Record<string, string | undefined>>;

export const DEFAULT_SERVER = 'http://127.0.0.1:8080';

/** Throws `UsageError` where a file cannot be read. */
export function connectionOf(values: FlagValues, env: Environment = process.env): Connection {
  const named = (values['server'] as string | undefined) ?? (env['CAIRN_SERVER'] || undefined);
  const installed = named === undefined ? findInstalledServer() : undefined;
  const certificate = installed?.certFile ? tryRead(installed.certFile) : null;
  const servers = (named ?? installed?.url ?? DEFAULT_SERVER).split(',').map((one) => serverOf(one.trim()));
  const [server, ...others] = servers as [string, ...string[]];
  const ca = fileOf(values, env, 'ca', 'CAIRN_CA') ?? certificate;
  const isPinned = ca !== null && ca === certificate;
  const token = tokenOf(values, env);
  const stored = token === undefined ? (storedCredentials(server) ?? null) : null;
  return {
    server,
    others,
    ca,
    pinned: isPinned ? new X509Certificate(ca).raw : null,
    token: token ?? stored?.accessToken ?? null,
    stored,
  };
}

function serverOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && url.hostname !== '' && url.search === '' && url.username === '') {
    return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
  }
  throw new UsageError(`cannot use --server ${text}: want http://host:port or https://host:port`);
}

function fileOf(values: FlagValues, env: Environment, flag: string, variable: string): string | undefined {
  const given = values[flag] as string | undefined;
  const file = given ?? (env[variable] || undefined);
  if (file === undefined) return undefined;
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`cannot read --${flag} ${file}${given === undefined ? ` (${variable})` : ''}: ${code}`);
  }
}

/** Goes into a header as it is. */
const TOKEN = /^[\x21-\x7e]+$/;

function tokenOf(values: FlagValues, env: Environment): string | undefined {
  const token = fileOf(values, env, 'token-file', 'CAIRN_TOKEN_FILE')?.trim();
  if (token === undefined || TOKEN.test(token)) return token;
  const file = values['token-file'] ?? env['CAIRN_TOKEN_FILE'];
  throw new UsageError(`cannot use --token-file ${file}: it holds no token, which is one line of printable ASCII`);
}

/** A certificate that this user may not read is one that is not known. */
function tryRead(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
