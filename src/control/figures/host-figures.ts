/** The server's own machine and program as `/metrics` shows them: disk, database, certificate, version. */
import { X509Certificate } from 'node:crypto';
import { readFile, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { type MetricSnapshot, snapshotOf } from '../../base/metrics.ts';
import type { Config } from '../../protocol/config/config.ts';
import { programVersion } from '../../store/files/program-version.ts';

export class HostFigures {
  readonly #dataFolder: string;
  readonly #config: () => Config;
  readonly #version = programVersion();
  #certificate: { readonly seen: string; readonly endMs: number } | undefined;

  constructor(dataFolder: string, config: () => Config) {
    this.#dataFolder = dataFolder;
    this.#config = config;
  }

  /** What cannot be read is left out. */
  async snapshots(): Promise<MetricSnapshot[]> {
    const database = await stat(join(this.#dataFolder, 'db', 'data.mdb')).catch(() => undefined);
    const disk = await statfs(this.#dataFolder).catch(() => undefined);
    const endMs = await this.#certificateEnd().catch(() => undefined);
    const build = { version: this.#version, node: process.version };
    return [
      snapshotOf('cairn_build_info', 'gauge', 'Version of the program and of Node.js; always 1', build, 1),
      ...gauge('cairn_data_bytes', 'Size of the database file', database?.size),
      ...gauge('cairn_disk_free_bytes', 'Free space of the data folder’s disk', disk && disk.bavail * disk.bsize),
      ...gauge(
        'cairn_certificate_end_timestamp_seconds',
        'When the server’s certificate expires',
        endMs === undefined ? undefined : endMs / 1000,
      ),
    ];
  }

  /** Undefined where the server has none: it serves http. */
  async #certificateEnd(): Promise<number | undefined> {
    const { addr, security } = this.#config();
    if (!addr.startsWith('https:')) return undefined;
    const { mtimeMs, ino } = await stat(security.certFile);
    const seen = `${security.certFile} ${ino} ${mtimeMs}`;
    if (this.#certificate?.seen !== seen) {
      const { validTo } = new X509Certificate(await readFile(security.certFile));
      this.#certificate = { seen, endMs: Date.parse(validTo) };
    }
    return this.#certificate.endMs;
  }
}

function gauge(name: string, help: string, value: number | undefined): MetricSnapshot[] {
  return value === undefined ? [] : [snapshotOf(name, 'gauge', help, {}, value)];
}
