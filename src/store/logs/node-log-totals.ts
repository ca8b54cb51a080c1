/**
 * How much each node has stored, and what goes when it is too much: whole files, those first that were written longest
 * ago, so that what is being written stays. The last file is cut by lines like any other.
 */
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { TRIMMING } from '../commit/trim-head.ts';

interface Total {
  bytes: number;
  files: number;
}

interface StoredFile {
  readonly file: string;
  readonly path: string;
  readonly bytes: number;
  readonly writtenMs: number;
}

export interface NodeLogRemoval {
  drop(name: { readonly nodeId: string; readonly path: string }, file: string): Promise<void>;
  trim(name: { readonly nodeId: string; readonly path: string }, file: string, sizeMax: number): Promise<void>;
}

/** Nodes whose totals are known. Overflow policy: forget the oldest; it is measured again when it writes. */
const TOTALS_MAX = 10_000;

export class NodeLogTotals {
  readonly #logFolder: string;
  readonly #removal: NodeLogRemoval;
  readonly #totals = new Map<string, Total>();
  /** One removal a node at a time. */
  readonly #running = new Map<string, Promise<void>>();

  constructor(logFolder: string, removal: NodeLogRemoval) {
    this.#logFolder = logFolder;
    this.#removal = removal;
  }

  changed(nodeId: string, bytes: number, files: number): void {
    const total = this.#totals.get(nodeId);
    if (!total) return;
    total.bytes += bytes;
    total.files += files;
  }

  /** 0 where it was not measured yet. */
  filesOf(nodeId: string): number {
    return this.#totals.get(nodeId)?.files ?? 0;
  }

  forget(nodeId: string): void {
    this.#totals.delete(nodeId);
  }

  /** Removes what is too much; `newest` is kept as long as there is anything else. */
  async keep(nodeId: string, totalMax: number, newest?: string): Promise<void> {
    if (totalMax === Number.POSITIVE_INFINITY) return;
    const { bytes } = this.#totals.get(nodeId) ?? this.#remember(nodeId, await this.#measure(nodeId));
    if (bytes <= totalMax) return;
    const before = this.#running.get(nodeId);
    const run = before ?? this.#shrink(nodeId, totalMax, newest).finally(() => this.#running.delete(nodeId));
    this.#running.set(nodeId, run);
    await run;
  }

  /** A file that cannot be cut is logged; the others are cut. */
  async sweep(
    nodeId: string,
    sizeMax: number,
    totalMax: number,
    onFailure: (error: unknown) => void = () => {},
  ): Promise<void> {
    for (const { file, path, bytes } of await this.#measure(nodeId, onFailure))
      if (bytes > sizeMax) await this.#removal.trim({ nodeId, path }, file, sizeMax).catch(onFailure);
    this.forget(nodeId);
    await this.keep(nodeId, totalMax);
  }

  async #shrink(nodeId: string, totalMax: number, newest: string | undefined): Promise<void> {
    const files = await this.#measure(nodeId);
    const total = this.#remember(nodeId, files);
    files.sort((a, b) => Number(a.file === newest) - Number(b.file === newest) || a.writtenMs - b.writtenMs);
    const last = files.pop();
    for (const { file, path } of files) {
      if (total.bytes <= totalMax) return;
      await this.#removal.drop({ nodeId, path }, file);
    }
    if (last && total.bytes > totalMax) await this.#removal.trim({ nodeId, path: last.path }, last.file, totalMax);
  }

  #remember(nodeId: string, files: readonly StoredFile[]): Total {
    const [oldest] = this.#totals.keys();
    if (oldest !== undefined && this.#totals.size >= TOTALS_MAX) this.#totals.delete(oldest);
    const total = { bytes: files.reduce((sum, { bytes }) => sum + bytes, 0), files: files.length };
    this.#totals.set(nodeId, total);
    return total;
  }

  async #measure(nodeId: string, onFailure: (error: unknown) => void = () => {}): Promise<StoredFile[]> {
    const files: StoredFile[] = [];
    const walk = async (folder: string, prefix: string): Promise<void> => {
      const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') onFailure(error);
        return [];
      });
      for (const entry of entries) {
        const [file, path] = [join(folder, entry.name), `${prefix}${entry.name}`];
        if (entry.isDirectory()) await walk(file, `${path}/`);
        else if (entry.isFile() && !entry.name.startsWith(TRIMMING)) {
          const stats = await lstat(file).catch(() => undefined);
          if (stats) files.push({ file, path, bytes: stats.size, writtenMs: stats.mtimeMs });
        }
      }
    };
    await walk(join(this.#logFolder, 'nodes', nodeId), '');
    return files;
  }
}
