/** What makes a machine a worker: the script of one line, and the agent's package that it installs. */
import { X509Certificate } from 'node:crypto';
import { createReadStream, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CodedError } from '../../base/errors.ts';
import { ARCHES, tryArch } from '../../base/packages/entry.ts';
import { FORMATS, type Format } from '../../control/packages/agent-package.ts';
import { INSTALLATION, installedVersion, OWN_ARCH } from '../../control/packages/agent-packages.ts';
import { addressOf, type Config } from '../../protocol/config/config.ts';
import type { Handler } from './handler.ts';

const SCRIPT_TYPE = 'text/x-shellscript; charset=utf-8';
const TYPES: Readonly<Record<Format, string>> = {
  deb: 'application/vnd.debian.binary-package',
  rpm: 'application/x-rpm',
  tar: 'application/gzip',
};
/** A name or an address with or without a port: nothing that a shell would read as more than text. */
const HOST = /^(?:\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252}))(?::\d{1,5})?$/;
/** Of a file that is sent, what is in memory at a time. */
const CHUNK_BYTES = 64 * 1024;
const FIRST_CERTIFICATE = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/;

export const getInstallScript: Handler = async ({ exchange }, { host }) => {
  const { config } = host.shared;
  const { scheme } = addressOf(config);
  const { host: named } = exchange.headers;
  if (!HOST.test(named)) throw new CodedError('malformed', 'the Host header is not a name or an address');
  const certificate = scheme === 'https' ? await ownAuthority(config) : '';
  const values: Readonly<Record<string, string>> = {
    '@SERVER@': `${scheme}://${named}`,
    '@VERSION@': installedVersion(),
    '@CERTIFICATE@': certificate,
  };
  const script = template().replace(/@(?:SERVER|VERSION|CERTIFICATE)@/g, (name) => values[name] as string);
  exchange.send(200, SCRIPT_TYPE, script);
};

export const getAgentPackage: Handler = async ({ exchange }, { main }) => {
  const formatText = exchange.query.get('format') ?? 'deb';
  const archText = exchange.query.get('arch') ?? OWN_ARCH ?? '';
  const format = FORMATS.find((known) => known === formatText);
  const arch = tryArch(archText);
  if (format === undefined || arch === undefined) {
    throw new CodedError('invalid', undefined, {
      ...(format === undefined ? { format: `is not one of ${FORMATS.join(', ')}` } : {}),
      ...(arch === undefined ? { arch: `is not one of ${ARCHES.join(', ')}` } : {}),
    });
  }
  const { path, name, size } = await main.agentPackage(format, arch);
  const chunks = createReadStream(path, { highWaterMark: CHUNK_BYTES });
  const headers = [['content-disposition', `attachment; filename="${name}"`]] as const;
  await exchange.stream(200, TYPES[format], chunks, headers, { size });
};

let read: string | undefined;

function template(): string {
  read ??= readFileSync(join(INSTALLATION, 'packaging', 'scripts', 'install-agent.sh'), 'utf8');
  return read;
}

/** The server's certificate where it vouches for itself; one of an authority is for the client's own trust. */
async function ownAuthority(config: Config): Promise<string> {
  const [pem] = FIRST_CERTIFICATE.exec(await readFile(config.security.certFile, 'latin1')) ?? [];
  if (pem === undefined) return '';
  const certificate = new X509Certificate(pem);
  return certificate.issuer === certificate.subject ? pem.replaceAll('\r', '') : '';
}
