/**
 * Where the server's own log may be. The file is opened, rotated and read on behalf of anyone who may change the configuration, so its
 * place is an operator's choice: the log folder, and what `CAIRN_LOG_ROOTS` adds where the server is started. Real paths are
 * compared, because a link in an allowed folder may lead out of it.
 */

import { lstat, readlink, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, normalize, sep } from 'node:path';
import { UsageError } from '../../base/usage-error.ts';

/** Links that are followed before a path counts as a loop; what Linux allows. */
const LINKS_MAX = 40;

export class LogRoots {
  readonly #folders: readonly string[];
  readonly #nodeLogs: string;

  /** `logFolder` and `others` are absolute. */
  constructor(logFolder: string, others: readonly string[]) {
    this.#folders = [logFolder, ...others];
    this.#nodeLogs = join(logFolder, 'nodes');
  }

  /** Why a log must not be written to this file; undefined where it may. The access log beside it counts as well. */
  async faultOf(file: string): Promise<string | undefined> {
    if (normalize(file) !== file) return 'has empty, . or .. segments';
    for (const path of [file, `${file.slice(0, -'.log'.length)}-access.log`]) {
      const real = await realPathOf(path);
      if (real === undefined) return 'cannot be resolved';
      const folders = await Promise.all(this.#folders.map(realPathOf));
      if (!folders.some((folder) => folder !== undefined && isBelow(real, folder)))
        return 'is neither in the log folder nor below a folder listed in CAIRN_LOG_ROOTS when the server starts';
      if (isBelow(real, (await realPathOf(this.#nodeLogs)) ?? this.#nodeLogs))
        return 'is in the folder of the node logs';
    }
    return undefined;
  }
}

/** The folders that `CAIRN_LOG_ROOTS` names, separated by colons. Throws a sentence for the operator. */
export function logRootsOf(text: string | undefined): string[] {
  const folders = (text ?? '').split(':').filter((folder) => folder !== '');
  const relative = folders.find((folder) => !isAbsolute(folder));
  if (relative !== undefined) throw new UsageError(`cannot use ${relative} of CAIRN_LOG_ROOTS: want absolute paths`);
  return folders;
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** As the system resolves it, also where the last parts do not exist yet; undefined where it cannot be. */
async function realPathOf(path: string, links = 0): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return undefined;
  }
  // A link to a path that does not exist: opening it creates its target.
  const isLink = await lstat(path).then(
    (stats) => stats.isSymbolicLink(),
    () => false,
  );
  if (isLink) {
    if (links >= LINKS_MAX) return undefined;
    const target = await readlink(path);
    const above = await realPathOf(dirname(path), links);
    return above === undefined ? undefined : realPathOf(isAbsolute(target) ? target : join(above, target), links + 1);
  }
  if (dirname(path) === path) return path;
  const above = await realPathOf(dirname(path), links);
  return above === undefined ? undefined : join(above, basename(path));
}
