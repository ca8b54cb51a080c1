/**
 * The server that a package installed on this machine: its address, and the certificate that it shows. What cannot be read
 * is left out; then the person names the server.
 */
import { readFileSync } from 'node:fs';
import { tryParseAddress } from '../../src/protocol/address.ts';

export const INSTALLED_SETTINGS = '/etc/cairn/server.env';
const DATA_DIR = '/var/lib/cairn';
const ADDRESS = 'https://0.0.0.0:443';

export interface InstalledServer {
  readonly url: string;
  /** PEM; null where it cannot be read, or is not needed. */
  readonly certificate: string | null;
}

/** Undefined where no server is installed, or its settings cannot be read. */
export function installedServer(settingsFile = INSTALLED_SETTINGS): InstalledServer | undefined {
  const text = tryRead(settingsFile);
  if (text === null) return undefined;
  const settings = settingsIn(text);
  const dataDir = settings.get('CAIRN_DATA_DIR') || DATA_DIR;
  const config = configIn(tryRead(`${dataDir}/config.json`));
  const address = tryParseAddress(config.addr ?? (settings.get('CAIRN_ADDR') || ADDRESS));
  if (!address) return undefined;
  const host = reachable(address.host);
  const url = `${address.scheme}://${host.includes(':') ? `[${host}]` : host}:${address.port}`;
  const file = config.security?.certFile || `${dataDir}/tls/server.crt`;
  return { url, certificate: address.scheme === 'https' ? tryRead(file) : null };
}

/** An address that listens everywhere is reached on loopback. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '::1' : host;
}

/** Lines of `NAME=value`, as systemd reads them. */
function settingsIn(text: string): Map<string, string> {
  const settings = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [, name, value = ''] = /^\s*(?:export\s+)?([A-Z_]+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (name !== undefined) settings.set(name, value.replace(/^(['"])(.*)\1$/, '$2'));
  }
  return settings;
}

interface StoredConfig {
  readonly addr?: string;
  readonly security?: { readonly certFile?: string };
}

function configIn(text: string | null): StoredConfig {
  try {
    return text === null ? {} : (JSON.parse(text) as StoredConfig);
  } catch {
    return {};
  }
}

function tryRead(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
