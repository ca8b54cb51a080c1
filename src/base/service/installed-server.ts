/**
 * The server that the package `cairn` installed on this machine: where it listens and which certificate it shows. So an
 * agent or a command on the server's own machine needs no address and no certificate file.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface InstalledServer {
  /** Origin, with an address of this machine. */
  readonly url: string;
  /** The server's own certificate, PEM; null over http, and where it cannot be found. */
  readonly certFile: string | null;
}

const SETTINGS = '/etc/cairn/server.env';
const DATA_FOLDER = '/var/lib/cairn';
const ADDRESS = 'https://0.0.0.0:443';

/** Undefined where no server is installed, or its settings cannot be read by this user. */
export function findInstalledServer(settingsFile: string = SETTINGS): InstalledServer | undefined {
  const text = tryRead(settingsFile);
  if (text === undefined) return undefined;
  const settings = assignmentsIn(text);
  const dataFolder = settings.get('CAIRN_DATA_DIR') ?? DATA_FOLDER;
  // The configuration decides where it may be read; it is the server's own and secret.
  const stored = storedIn(tryRead(join(dataFolder, 'config.json')));
  const address = stored.addr ?? settings.get('CAIRN_ADDR') ?? ADDRESS;
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  if (url.hostname === '0.0.0.0') url.hostname = '127.0.0.1';
  if (url.hostname === '[::]') url.hostname = '[::1]';
  const certFile = url.protocol === 'https:' ? (stored.certFile ?? join(dataFolder, 'tls', 'server.crt')) : null;
  return { url: url.origin, certFile };
}

/** An agent's environment, completed where it names no server. */
export function withInstalledServer<T extends Readonly<Record<string, string | undefined>>>(
  env: T,
  find: () => InstalledServer | undefined = findInstalledServer,
): Readonly<Record<string, string | undefined>> {
  if (env['CAIRN_SERVER']) return env;
  const found = find();
  if (!found) return env;
  const ca = env['CAIRN_CA'] || found.certFile;
  return { ...env, CAIRN_SERVER: found.url, ...(ca ? { CAIRN_CA: ca } : {}) };
}

/** `NAME=value` lines as systemd reads them, without its escapes: our values need none. */
function assignmentsIn(text: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [, name, value] = /^\s*([A-Z_][A-Z0-9_]*)=(.*?)\s*$/.exec(line) ?? [];
    if (name && value) found.set(name, value.replace(/^(["'])(.*)\1$/, '$2'));
  }
  return found;
}

function storedIn(text: string | undefined): { readonly addr?: string; readonly certFile?: string } {
  try {
    const config = JSON.parse(text ?? '') as { addr?: string; security?: { certFile?: string } };
    const certFile = config.security?.certFile;
    return { ...(config.addr ? { addr: config.addr } : {}), ...(certFile ? { certFile } : {}) };
  } catch {
    return {};
  }
}

function tryRead(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
