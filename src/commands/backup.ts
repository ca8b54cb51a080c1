/** `cairn backup` and `cairn backup verify`: a server's archive, and whether one is whole. */
import { dirname, resolve } from 'node:path';
import type { CommandInput, FlagValues } from '../base/command-input.ts';
import { UsageError } from '../base/usage-error.ts';
import { readArchive } from '../store/backup/archive-reader.ts';
import { backUp } from '../store/backup/backup.ts';
import { LOG_PREFIX, type ManifestFile } from '../store/backup/manifest.ts';
import { ConfigFile } from '../store/files/config-file.ts';
import { programVersion } from '../store/files/program-version.ts';
import { dataFolderOf, logFolderOf } from './data-folder.ts';
import { Progress } from './progress.ts';
import { report } from './report.ts';

export async function backupCommand({ values }: CommandInput): Promise<number> {
  const to = resolve(values['to'] as string);
  const keep = keepOf(values);
  const progress = new Progress(process.stderr);
  const dataFolder = resolve(dataFolderOf(values));
  const logFolder = resolve(logFolderOf(values));
  const { manifest, size, removed } = await backUp({
    dataFolder,
    logFolder,
    to,
    ...(keep === undefined ? {} : { keep }),
    version: programVersion(),
    nowMs: Date.now,
    onProgress: (what, done, total) => progress.tell(what, done, total),
  }).finally(() => progress.end());
  const { createdAt, server } = manifest;
  const files = manifest.files.length;
  const lines = [
    `${to}: ${size} bytes, ${files} files, everything acknowledged before ${createdAt}`,
    ...removed.map((path) => `removed ${path}`),
  ];
  report(values, lines.map((line) => `${line}\n`).join(''), {
    file: to,
    bytes: size,
    files,
    createdAt,
    server,
    removed,
  });
  const doubt = manifest.files.some(isNodeLog) ? undefined : await doubtOf(dataFolder, logFolder);
  if (doubt !== undefined) process.stderr.write(`cairn backup: warning: ${doubt}\n`);
  return 0;
}

function isNodeLog({ path }: ManifestFile): boolean {
  return path.startsWith(LOG_PREFIX);
}

/** Node logs lie beside the server's log: of an archive without any, the folder may be another server's. */
async function doubtOf(dataFolder: string, logFolder: string): Promise<string | undefined> {
  const config = (await new ConfigFile(dataFolder).read()) as { readonly log?: { readonly file?: string } } | undefined;
  const file = config?.log?.file;
  if (file === undefined || dirname(file) === logFolder) return undefined;
  return `no node log is in ${logFolder}, and the server writes ${file}: name its log folder with --log-dir`;
}

/** Throws with the first damaged part. */
export async function verifyCommand({ values, args }: CommandInput): Promise<number> {
  const path = args[0] as string;
  const progress = new Progress(process.stderr);
  const manifest = await readArchive(path, (done, total) => progress.tell('verifying', done, total)).finally(() =>
    progress.end(),
  );
  const { createdAt, server } = manifest;
  const files = manifest.files.length;
  report(
    values,
    `${path} is intact: ${files} files of server ${server}, everything acknowledged before ${createdAt}\n`,
    { file: path, files, createdAt, server },
  );
  return 0;
}

function keepOf(values: FlagValues): number | undefined {
  const text = values['keep'] as string | undefined;
  if (text === undefined) return undefined;
  const count = Number(text);
  if (count < 1) throw new UsageError(`cannot use --keep ${text}: want 1 or more`);
  return count;
}
