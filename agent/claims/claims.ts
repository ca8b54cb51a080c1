/**
 * Who may run a job. The server gives epochs; the folder of the job's images keeps them as files that are created
 * exclusively, because a folder is what two nodes share even while neither reaches the server.
 *
 *   <image path>/<job id>/claims/<epoch>   {nodeId, time, images: [...]}
 *   <image path>/<job id>/ended.json       {epoch, status}: how the last claim ended
 */
import { open, readdir, readFile, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomically } from '../base/atomic-file.ts';
import { makeFolder } from '../base/make-folder.ts';

/** `<epoch>-<number>` of an image. */
export type ImageName = string;

export interface Claim {
  readonly epoch: number;
  readonly nodeId: string;
  /** Images that were there when it was made: of older epochs, only those count. */
  readonly images: readonly ImageName[];
  /** Wall clock of the last touch. */
  readonly touchedMs: number;
}

export type EndedStatus = 'Succeeded' | 'Failed' | 'Stopped';

/** A job has some ten claims in its life. Overflow policy: the oldest are not read. */
const CLAIMS_MAX = 10_000;

export class Claims {
  /** The job's folder below the image path. */
  readonly folder: string;

  constructor(imagePath: string, jobId: string) {
    this.folder = join(imagePath, jobId);
  }

  /** Ascending. Empty where there is no such folder; throws where it cannot be read. */
  async epochs(): Promise<number[]> {
    const names = await readdir(join(this.folder, 'claims')).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
    return names
      .filter((name) => /^\d{1,15}$/.test(name))
      .map(Number)
      .sort((a, b) => a - b)
      .slice(-CLAIMS_MAX);
  }

  async read(epoch: number): Promise<Claim> {
    const path = join(this.folder, 'claims', String(epoch));
    const { mtimeMs } = await stat(path);
    // A claim that a crash left empty is a claim: who made it is not known, and it lists nothing.
    const json = JSON.parse((await readFile(path, 'utf8')) || '{}') as { nodeId?: unknown; images?: unknown };
    return {
      epoch,
      nodeId: typeof json.nodeId === 'string' ? json.nodeId : '',
      images: Array.isArray(json.images) ? json.images.filter((name): name is string => typeof name === 'string') : [],
      touchedMs: mtimeMs,
    };
  }

  async all(): Promise<Claim[]> {
    return Promise.all((await this.epochs()).map((epoch) => this.read(epoch)));
  }

  /** False where another node has taken this epoch. Durable when it resolves. */
  async take(epoch: number, nodeId: string, images: readonly ImageName[]): Promise<boolean> {
    const folder = join(this.folder, 'claims');
    await makeFolder(folder);
    try {
      const file = await open(join(folder, String(epoch)), 'wx', 0o600);
      try {
        await file.writeFile(`${JSON.stringify({ nodeId, time: new Date().toISOString(), images })}\n`);
        await file.sync();
      } finally {
        await file.close();
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw error;
    }
    const handle = await open(folder, 'r');
    await handle.sync().finally(() => handle.close());
    return true;
  }

  /** Shows that the holder lives. */
  async touch(epoch: number): Promise<void> {
    const now = new Date();
    await utimes(join(this.folder, 'claims', String(epoch)), now, now);
  }

  /** Whether somebody has claimed the job after this epoch. */
  async isSuperseded(epoch: number): Promise<boolean> {
    return ((await this.epochs()).at(-1) ?? 0) > epoch;
  }

  async end(epoch: number, status: EndedStatus): Promise<void> {
    await writeFileAtomically(join(this.folder, 'ended.json'), `${JSON.stringify({ epoch, status })}\n`, {
      durable: true,
    });
  }

  /** How the newest claim ended; null while it holds. */
  async ended(): Promise<{ readonly epoch: number; readonly status: EndedStatus } | null> {
    try {
      const json = JSON.parse(await readFile(join(this.folder, 'ended.json'), 'utf8'));
      const highest = (await this.epochs()).at(-1) ?? 0;
      return json.epoch >= highest ? json : null;
    } catch {
      return null;
    }
  }
}

/**
 * The images that may be restored, the best first: each is of an epoch whose claim was the last one, or was there when
 * the next claim was made. What a superseded node wrote later is not among them.
 */
export function restorableImages(images: readonly ImageName[], claims: readonly Claim[]): ImageName[] {
  const sorted = [...claims].sort((a, b) => a.epoch - b.epoch);
  return images
    .filter((name) => {
      const { epoch } = splitImageName(name);
      const next = sorted.find((claim) => claim.epoch > epoch);
      return !next || next.images.includes(name);
    })
    .sort(compareImages)
    .reverse();
}

export function splitImageName(name: ImageName): { readonly epoch: number; readonly number: number } {
  const [epoch = '0', number = '0'] = name.split('-');
  return { epoch: Number(epoch), number: Number(number) };
}

/** Ascending by epoch, then number. */
export function compareImages(a: ImageName, b: ImageName): number {
  const [x, y] = [splitImageName(a), splitImageName(b)];
  return x.epoch - y.epoch || x.number - y.number;
}

export type FolderVerdict = 'free' | 'held';

/**
 * Whether the folder alone lets a node start the job, while the server is away (or knows no claims): the newest claim is
 * its own, has ended, or was not touched for `node.ttl`.
 */
export function folderVerdict(
  newest: Claim | null,
  isEnded: boolean,
  nodeId: string,
  ttlMs: number,
  nowMs: number,
): FolderVerdict {
  if (!newest || isEnded || newest.nodeId === nodeId) return 'free';
  return nowMs - newest.touchedMs > ttlMs ? 'free' : 'held';
}
