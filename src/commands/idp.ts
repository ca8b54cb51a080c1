/** `cairn idp disable`: for the administrator who has locked everybody out; works on the server's own host only. */
import type { CommandInput } from '../base/command-input.ts';
import { ConfigFile } from '../store/files/config-file.ts';
import { DataDirectoryLock, sendCommand } from '../store/files/data-directory-lock.ts';
import { dataFolderOf } from './data-folder.ts';

interface StoredIdp {
  security?: { idp?: { enabled?: boolean } };
}

export async function idpCommand({ values }: CommandInput): Promise<number> {
  const dataFolder = dataFolderOf(values);
  const answer = await sendCommand(dataFolder, { command: 'idp-disable' });
  if (answer) {
    process.stdout.write(`${answer.message}\n`);
    return answer.ok ? 0 : 1;
  }
  await disableInFile(dataFolder);
  process.stdout.write('the identity provider is disabled; the server is not running and starts without it\n');
  return 0;
}

/** The server is down: the folder is claimed, so that none starts in the middle. */
async function disableInFile(dataFolder: string): Promise<void> {
  const file = new ConfigFile(dataFolder);
  const read = async (): Promise<StoredIdp> => {
    const stored = (await file.read()) as StoredIdp | undefined;
    if (!stored)
      throw new Error(`there is no configuration in ${dataFolder}: name the server's folder with --data-dir`);
    return stored;
  };
  // First, because a folder that is not there cannot be claimed.
  await read();
  const claim = await DataDirectoryLock.take(dataFolder);
  try {
    const stored = await read();
    if (stored.security?.idp) stored.security.idp.enabled = false;
    await file.write(stored as never);
  } finally {
    await claim.release();
  }
}
