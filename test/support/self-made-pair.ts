/** A certificate pair for tests, recognisable by its name. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import tls from 'node:tls';
import { generate } from 'selfsigned';

export interface PairFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/** Signed by `authority`, or by itself. */
export async function writePair(
  files: PairFiles,
  commonName: string,
  validDays = 30,
  authority?: PairFiles,
): Promise<void> {
  const ca = authority && {
    key: await readFile(authority.keyFile, 'utf8'),
    cert: await readFile(authority.certFile, 'utf8'),
  };
  await write(files, commonName, { validDays, ...(ca ? { ca } : {}) });
}

/** An authority that signs certificates. */
export async function writeAuthority(files: PairFiles, commonName: string): Promise<void> {
  const extensions: Options['extensions'] = [
    { name: 'basicConstraints', cA: true, critical: true },
    { name: 'keyUsage', keyCertSign: true, critical: true },
  ];
  await write(files, commonName, { validDays: 30, extensions });
}

type Options = NonNullable<Parameters<typeof generate>[1]>;

async function write(
  files: PairFiles,
  commonName: string,
  { validDays, ...options }: Options & { readonly validDays: number },
): Promise<void> {
  const made = await generate([{ name: 'commonName', value: commonName }], {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    notBeforeDate: new Date(Date.now() - 60 * 86_400_000),
    notAfterDate: new Date(Date.now() + validDays * 86_400_000),
    ...options,
  });
  await mkdir(dirname(files.certFile), { recursive: true });
  await writeFile(files.keyFile, made.private);
  await writeFile(files.certFile, made.cert);
}

/** The common name of the certificate that an address shows now, and the protocol version. */
export function certificateOf(address: string): Promise<{ readonly name: string; readonly protocol: string }> {
  const { hostname, port } = new URL(address);
  return new Promise((resolve, reject) => {
    const socket = tls.connect({ host: hostname, port: Number(port), rejectUnauthorized: false }, () => {
      const { subject } = socket.getPeerCertificate();
      resolve({ name: String(subject.CN), protocol: socket.getProtocol() ?? '' });
      socket.destroy();
    });
    socket.on('error', reject);
  });
}
