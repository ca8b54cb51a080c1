/** A certificate pair for tests, recognisable by its name. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import tls from 'node:tls';
import { generate } from 'selfsigned';

export interface PairFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

export async function writePair(files: PairFiles, commonName: string, validDays = 30): Promise<void> {
  const made = await generate([{ name: 'commonName', value: commonName }], {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    notBeforeDate: new Date(Date.now() - 60 * 86_400_000),
    notAfterDate: new Date(Date.now() + validDays * 86_400_000),
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
