/**
 * What a restore and an undone upgrade leave in a data folder while they work: a folder each, which goes last. A server
 * does not start beside one of them, because what it would find may be half of the old and half of the new.
 */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';

export const RESTORING = '.cairn-restore';
export const UNDOING = '.cairn-undo';

/** Throws the sentence that tells what to run where a command was interrupted. */
export async function mustBeFinished(dataFolder: string): Promise<void> {
  if (await isThere(join(dataFolder, RESTORING)))
    throw new Error(
      `cannot use ${dataFolder}: restoring it was interrupted; run cairn restore again with the same archive and folders`,
    );
  if (await isThere(join(dataFolder, UNDOING)))
    throw new Error(
      `cannot use ${dataFolder}: undoing its upgrade was interrupted; run cairn restore --undo-upgrade --data-dir ${dataFolder} again`,
    );
}

export async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
