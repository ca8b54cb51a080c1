/** Where an uploaded log of a node lies below the log folder. */
import { join } from 'node:path';
import { isFolderSafe } from '../../protocol/id.ts';
import { TRIMMING } from '../commit/trim-head.ts';

export interface NodeLogName {
  readonly nodeId: string;
  /** Path on the worker, without the leading slash. */
  readonly path: string;
}

const SEGMENTS_MAX = 64;
const PATH_SIZE_MAX = 1_024;
/** Undefined for a path that would leave the node's folder, in whatever encoding: the caller has decoded it once. */
export function nodeLogFile(logFolder: string, { nodeId, path }: NodeLogName): string | undefined {
  const segments = path.split('/');
  const harmless = segments.every(
    (segment) =>
      segment !== '' &&
      segment !== '.' &&
      segment !== '..' &&
      !segment.includes('\0') &&
      !segment.startsWith(TRIMMING) &&
      Buffer.byteLength(segment) <= 255,
  );
  if (!harmless || segments.length > SEGMENTS_MAX || Buffer.byteLength(path) > PATH_SIZE_MAX || !isFolderSafe(nodeId))
    return undefined;
  return join(logFolder, 'nodes', nodeId, ...segments);
}
