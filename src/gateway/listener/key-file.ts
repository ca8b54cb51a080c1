/** What the log says of a private key that others can read, and the answer to the change that names it. */
import { isOpenToOthers } from '../../store/files/file-modes.ts';

export async function keyFileWarning(keyFile: string): Promise<string | undefined> {
  if (!(await isOpenToOthers(keyFile))) return undefined;
  return 'other users can read or write the private key: restrict its permissions';
}
