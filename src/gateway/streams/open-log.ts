/** An open log file: its descriptor goes to the pool, and is closed when no thread reads from it any more. */
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { LineTexts } from '../../base/lines/wanted-texts.ts';
import type { LogTail } from '../../workers/task/task.ts';
import type { MainServices } from '../api/services.ts';
import { nothing, streamOf } from './pool-stream.ts';

export class OpenLog {
  readonly size: number;
  readonly inode: number;
  readonly #handle: FileHandle;
  #readers = 0;
  #released = false;

  private constructor(handle: FileHandle, size: number, inode: number) {
    this.#handle = handle;
    this.size = size;
    this.inode = inode;
  }

  /** Undefined where there is no such file, or the name is a symbolic link or a folder. */
  static async open(path: string): Promise<OpenLog | undefined> {
    let handle: FileHandle;
    try {
      handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP' || code === 'ENXIO') return undefined;
      throw error;
    }
    const stats = await handle.stat();
    if (stats.isFile()) return new OpenLog(handle, stats.size, stats.ino);
    await handle.close();
    return undefined;
  }

  tail(main: MainServices, lines: number | null, texts: LineTexts, size = this.size): Promise<LogTail> {
    const task = { type: 'logTail', fd: this.#handle.fd, size, lines, texts } as const;
    return this.#use(() => main.answer(task) as Promise<LogTail>);
  }

  /** With `givesBack` a chunk is the caller's only until it asks for the next one. */
  read(
    main: MainServices,
    from: number,
    to: number,
    { texts = [], givesBack = false }: { readonly texts?: LineTexts; readonly givesBack?: boolean } = {},
  ): AsyncGenerator<Uint8Array> {
    if (from >= to) return nothing();
    this.#readers++;
    const onEnd = (): void => this.#left();
    return streamOf(main, { type: 'logRead', fd: this.#handle.fd, from, to, texts }, { onEnd, givesBack });
  }

  /** Nothing more will be asked of it; what is being read is read to its end. */
  release(): void {
    if (this.#released) return;
    this.#released = true;
    this.#closeIfIdle();
  }

  async #use<T>(run: () => Promise<T>): Promise<T> {
    this.#readers++;
    try {
      return await run();
    } finally {
      this.#left();
    }
  }

  #left(): void {
    this.#readers--;
    this.#closeIfIdle();
  }

  #closeIfIdle(): void {
    if (this.#released && this.#readers === 0) void this.#handle.close().catch(() => {});
  }
}
