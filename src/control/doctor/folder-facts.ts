/** What the folders of a server tell of it, whether it runs or not. Nothing is changed. */
import { X509Certificate } from 'node:crypto';
import { readdir, readFile, stat, statfs } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { tryParseAddress } from '../../protocol/address.ts';
import { readLastBackup } from '../../store/backup/last-backup.ts';
import type { DatabaseFigures } from '../../store/kv/lmdb-store.ts';
import type { Reader } from '../../store/kv/store.ts';
import { readFirstStart } from '../../store/records/first-start.ts';
import type { DoctorFacts } from './rules.ts';

interface ConfigFacts {
  readonly addr: string;
  readonly security: { readonly certFile: string };
  readonly log: { readonly file: string };
}

export interface FolderSources {
  readonly dataFolder: string;
  readonly logFolder: string | null;
  /** Undefined where it cannot be read. */
  readonly config: ConfigFacts | undefined;
  readonly reader: Reader | undefined;
  readonly database: DatabaseFigures | undefined;
  readonly nowMs: number;
}

export async function folderFacts(sources: FolderSources): Promise<DoctorFacts> {
  const { dataFolder, logFolder, config, reader, database, nowMs } = sources;
  const last = await readLastBackup(dataFolder);
  const certificate = config && (await certificateFacts(config));
  return {
    nowMs,
    dataFolder,
    disks: await diskFacts([dataFolder, ...(logFolder === null ? [] : [logFolder])]),
    openPaths: await openPaths(dataFolder, logFolder),
    tokenKeyFault: await tokenKeyFault(dataFolder),
    ...(certificate ? { certificate } : {}),
    ...(database ? databaseFacts(database) : {}),
    ...(reader
      ? { backup: { lastMs: last ? Date.parse(last.time) : null, firstStartMs: readFirstStart(reader) ?? null } }
      : {}),
  };
}

function databaseFacts({ fileBytes, freeBytes, readers }: DatabaseFigures): Partial<DoctorFacts> {
  return {
    freePages: { fileBytes, freeBytes },
    readers: readers.map(({ pid, behind }) => ({
      pid,
      behind,
      isAlive: isAlive(pid),
      isOwn: pid === process.pid,
    })),
  };
}

/** Of each disk once. */
async function diskFacts(folders: readonly string[]): Promise<NonNullable<DoctorFacts['disks']>> {
  const disks = new Map<number, { path: string; freeBytes: number; sizeBytes: number }>();
  for (const path of folders) {
    const [stats, figures] = await Promise.all([stat(path), statfs(path)]).catch(() => []);
    if (!stats || !figures || disks.has(stats.dev)) continue;
    const { bavail, blocks, bsize } = figures;
    disks.set(stats.dev, { path, freeBytes: bavail * bsize, sizeBytes: blocks * bsize });
  }
  return [...disks.values()];
}

/** Group and others of what holds secrets; others of node logs, which a group may be meant to read. */
async function openPaths(dataFolder: string, logFolder: string | null): Promise<NonNullable<DoctorFacts['openPaths']>> {
  const secret = [dataFolder, join(dataFolder, 'config.json')];
  for (const name of ['keys', 'tls']) {
    const folder = join(dataFolder, name);
    const names = await readdir(folder).catch(() => []);
    secret.push(folder, ...names.filter((file) => !file.endsWith('.crt')).map((file) => join(folder, file)));
  }
  const open: { path: string; mode: string }[] = [];
  const look = async (path: string, others: number): Promise<void> => {
    const mode = (await stat(path).catch(() => undefined))?.mode ?? 0;
    if ((mode & others) !== 0) open.push({ path, mode: (mode & 0o777).toString(8) });
  };
  for (const path of secret) await look(path, 0o077);
  if (logFolder !== null) await look(join(logFolder, 'nodes'), 0o007);
  return open;
}

async function certificateFacts({ addr, security }: ConfigFacts): Promise<DoctorFacts['certificate']> {
  const address = tryParseAddress(addr);
  if (address?.scheme !== 'https') return undefined;
  const file = security.certFile;
  try {
    const certificate = new X509Certificate(await readFile(file));
    return { file, endMs: Date.parse(certificate.validTo), missingName: missingName(certificate, address.host) };
  } catch {
    return undefined;
  }
}

/** At a wildcard address clients use names that the server does not know. */
function missingName(certificate: X509Certificate, host: string): string | null {
  if (!certificate.subjectAltName) return '';
  if (host === '0.0.0.0' || host === '::') return null;
  const fits = isIP(host) ? certificate.checkIP(host) : certificate.checkHost(host);
  return fits === undefined ? host : null;
}

async function tokenKeyFault(dataFolder: string): Promise<string | null> {
  const path = join(dataFolder, 'keys', 'node-token.json');
  try {
    const keys = JSON.parse(await readFile(path, 'utf8')) as unknown;
    const [first] = Array.isArray(keys) ? (keys as readonly { kid?: unknown; d?: unknown }[]) : [];
    if (typeof first?.kid === 'string' && typeof first.d === 'string') return null;
    return `${path} is not a list of keys`;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === undefined ? `${path} is not a list of keys` : `${path} cannot be read (${code})`;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
