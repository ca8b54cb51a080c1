/**
 * What podman has no word for is told to CRIU by a file, which runc names to it: the container's annotation
 * `org.criu.config`. The annotation goes with the image, so the path is the same on every node.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { FREEZE_SECONDS, GHOST_BYTES_MAX } from '../engine/criu.ts';

const BASE = '/run/cairn-containers';

export interface EngineConfig {
  readonly tcpClose: boolean;
  readonly irmapScanPaths: readonly string[];
  /** Where CRIU leaves its log. */
  readonly log: string;
}

export function engineConfigPath(jobId: string): string {
  return join(BASE, `${jobId}.conf`);
}

/** Before each save and each restore. */
export async function writeEngineConfig(jobId: string, config: EngineConfig): Promise<void> {
  const path = engineConfigPath(jobId);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFile(path, engineConfigText(config), { mode: 0o600 });
}

export async function removeEngineConfig(jobId: string): Promise<void> {
  await rm(engineConfigPath(jobId), { force: true });
}

/** Pure. */
export function engineConfigText({ tcpClose, irmapScanPaths, log }: EngineConfig): string {
  const lines = [
    ...['file-locks', 'link-remap', `ghost-limit ${GHOST_BYTES_MAX}`, `timeout ${FREEZE_SECONDS}`],
    // Connections end with the image, so there is nothing to hold back meanwhile.
    ...(tcpClose ? ['tcp-close', 'network-lock skip'] : []),
    ...irmapScanPaths.map((path) => `irmap-scan-path ${quoted(path)}`),
    `log-file ${quoted(log)}`,
  ];
  return `${lines.join('\n')}\n`;
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '\\"')}"`;
}
