/** Certificates: checking a pair before it is used, and making one where none is configured. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { access } from 'node:fs/promises';
import { isIP } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';
import { dirname } from 'node:path';
import { writeFileDurably } from '../../store/files/durable-file.ts';
import { makeFolders } from '../../store/files/folders.ts';
import { readBoundedFile } from '../../store/files/read-bounded-file.ts';
import type { PairFiles } from '../http/tls-files.ts';

/** The longest validity that today's clients accept for a certificate that they are configured to trust. */
const SELF_MADE_DAYS = 825;
const DAY_MS = 86_400_000;
/** Time for the operator to give clients the new one, where they hold the certificate itself. */
const RENEW_BEFORE_MS = 30 * DAY_MS;
/** By this we know our own. */
export const SELF_MADE_BY = 'Cairn (self-made)';

const PEM_CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

export interface PairFault {
  readonly field: 'security.certFile' | 'security.keyFile';
  readonly reason: string;
}

/** What is wrong with the pair: both parse, they match, the certificate is valid now. */
export async function pairFaults({ certFile, keyFile }: PairFiles, nowMs: number): Promise<PairFault[]> {
  const faults: PairFault[] = [];
  const certificate = await readBoundedFile(certFile)
    .then((text) => new X509Certificate(text))
    .catch((error: unknown) => {
      faults.push({ field: 'security.certFile', reason: `cannot be read as a certificate: ${causeOf(error)}` });
    });
  const key = await readBoundedFile(keyFile)
    .then(createPrivateKey)
    .catch((error: unknown) => {
      faults.push({ field: 'security.keyFile', reason: `cannot be read as a private key: ${causeOf(error)}` });
    });
  if (certificate && Date.parse(certificate.validTo) <= nowMs)
    faults.push({ field: 'security.certFile', reason: `has expired on ${certificate.validTo}` });
  if (certificate && key && !certificate.checkPrivateKey(key))
    faults.push({ field: 'security.keyFile', reason: 'does not belong to the certificate' });
  return faults;
}

/** What is wrong with the file of authorities, or undefined. */
export async function authorityFault(file: string): Promise<string | undefined> {
  try {
    const found = (await readBoundedFile(file)).toString('latin1').match(PEM_CERTIFICATE) ?? [];
    return found.some((pem) => new X509Certificate(pem).ca) ? undefined : 'holds no certificate of an authority';
  } catch (error) {
    return `cannot be read as certificates: ${causeOf(error)}`;
  }
}

const CAUSES: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EACCES: 'the server is not allowed to read it',
  EISDIR: 'it is a folder',
};

/** The cause without the content: an error of a parser may quote what it read, and that may be a key. */
function causeOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  return code === undefined ? 'it does not parse' : (CAUSES[code] ?? code);
}

/** Makes a self-signed ECDSA P-256 pair for this host's names and addresses, unless both files are there. */
export async function ensureSelfMade(
  { certFile, keyFile }: PairFiles,
  nowMs: number,
  publicNames: readonly string[] = [],
): Promise<boolean> {
  if ((await exists(certFile)) && (await exists(keyFile)))
    return renewSelfMade({ certFile, keyFile }, nowMs, publicNames, publicNames);
  await makePair({ certFile, keyFile }, nowMs, publicNames);
  return true;
}

/**
 * Renews a self-signed pair that expires soon, has expired, or lacks one of the names in `wanted`; returns whether it did.
 */
export async function renewSelfMade(
  { certFile, keyFile }: PairFiles,
  nowMs: number,
  publicNames: readonly string[] = [],
  wanted: readonly string[] = [],
): Promise<boolean> {
  const text = await readBoundedFile(certFile).catch(() => undefined);
  const certificate = text && tryCertificate(text);
  if (!certificate) return false;
  const isNamed = wanted.every((name) => names(certificate, name));
  if (isNamed && Date.parse(certificate.validTo) - nowMs > RENEW_BEFORE_MS) return false;
  // A certificate that somebody else put there is his to renew.
  if (!certificate.subject.split('\n').includes(`O=${SELF_MADE_BY}`)) return false;
  await makePair({ certFile, keyFile }, nowMs, publicNames);
  return true;
}

function names(certificate: X509Certificate, name: string): boolean {
  return (isIP(name) === 0 ? certificate.checkHost(name) : certificate.checkIP(name)) !== undefined;
}

function tryCertificate(text: Buffer): X509Certificate | undefined {
  try {
    return new X509Certificate(text);
  } catch {
    return undefined;
  }
}

async function makePair(
  { certFile, keyFile }: PairFiles,
  nowMs: number,
  publicNames: readonly string[],
): Promise<void> {
  const subject = [
    { name: 'commonName', value: hostname() },
    { name: 'organizationName', value: SELF_MADE_BY },
  ];
  // Loaded when it is needed, once in two years: its libraries take a tenth of a second, which no start should wait for.
  const { generate } = await import('selfsigned');
  const made = await generate(subject, {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    notBeforeDate: new Date(nowMs - DAY_MS),
    notAfterDate: new Date(nowMs + SELF_MADE_DAYS * DAY_MS),
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      { name: 'subjectAltName', altNames: alternativeNames(publicNames) },
    ],
  });
  await makeFolders(dirname(certFile), 0o700);
  await writeFileDurably(keyFile, made.private, 0o600);
  await writeFileDurably(certFile, made.cert, 0o644);
}

type AlternativeName = { type: 2; value: string } | { type: 7; ip: string };

function alternativeNames(publicNames: readonly string[]): AlternativeName[] {
  const addresses = Object.values(networkInterfaces())
    .flatMap((entries) => entries ?? [])
    .map(({ address }) => address.split('%')[0] as string);
  const isAddress = (name: string): boolean => isIP(name) !== 0;
  const unique = [...new Set(['127.0.0.1', '::1', ...addresses, ...publicNames.filter(isAddress)])];
  const hosts = new Set(['localhost', hostname(), ...publicNames.filter((name) => !isAddress(name))]);
  return [
    ...[...hosts].map((value): AlternativeName => ({ type: 2, value })),
    ...unique.map((ip): AlternativeName => ({ type: 7, ip })),
  ];
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
