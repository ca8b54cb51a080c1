/** `cairn doctor` on the server's own host: asks the server over its socket, or looks at its folders where it does not run. */
import { resolve } from 'node:path';
import type { FlagValues } from '../base/command-input.ts';
import { UsageError } from '../base/usage-error.ts';
import { folderFacts } from '../control/doctor/folder-facts.ts';
import { findingsOf } from '../control/doctor/rules.ts';
import { valuesOf } from '../control/doctor/values.ts';
import type { DoctorReport } from '../protocol/explain/doctor.ts';
import { ConfigFile } from '../store/files/config-file.ts';
import { sendCommand } from '../store/files/data-directory-lock.ts';
import { databaseFigures, openLmdbReader } from '../store/kv/lmdb-store.ts';
import type { Reader } from '../store/kv/store.ts';
import { logFolderOf } from './data-folder.ts';

export async function hostReport(values: FlagValues): Promise<DoctorReport> {
  const dataFolder = resolve(values['data-dir'] as string);
  const config = (await new ConfigFile(dataFolder).read()) as ConfigParts | undefined;
  if (config === undefined) throw new UsageError(`--data-dir ${dataFolder}: there is no Cairn configuration in it`);
  const answer = await sendCommand(dataFolder, { command: 'doctor' });
  if (answer?.ok) return JSON.parse(answer.message) as DoctorReport;
  if (answer) throw new Error(`the server that uses ${dataFolder} cannot answer: ${answer.message}`);
  const reader = openReader(dataFolder);
  try {
    const facts = await folderFacts({
      dataFolder,
      logFolder: resolve(logFolderOf(values)),
      config,
      reader,
      database: reader && databaseFigures(reader),
      nowMs: Date.now(),
    });
    return { findings: findingsOf(facts), checks: valuesOf(facts) };
  } finally {
    await reader?.close();
  }
}

type ConfigParts = NonNullable<Parameters<typeof folderFacts>[0]['config']>;

/** Undefined where the database cannot be opened: the server says why when it is started. */
function openReader(dataFolder: string): Reader | undefined {
  try {
    return openLmdbReader(`${dataFolder}/db`);
  } catch {
    return undefined;
  }
}
