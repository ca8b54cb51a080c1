/** A job's own volume: made when it starts, moved with it, and let go of at its end; with the events that tell of it. */
import { existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../base/make-folder.ts';
import type { VolumeDrivers } from '../volumes/drivers.ts';
import { LOCAL_NAMES, realPathOf } from '../volumes/local-volume.ts';
import { flush } from '../volumes/mounts.ts';
import { readVolume, type Volume, type VolumePlace, writeVolume } from '../volumes/volume.ts';
import type { JobContext } from './job-context.ts';

export class JobVolume {
  readonly #context: JobContext;
  readonly #drivers: VolumeDrivers;

  constructor(context: JobContext) {
    this.#context = context;
    this.#drivers = context.services.volumes;
  }

  /** Why the job cannot have its volume; null where it has it, or wants none. */
  async create(): Promise<string | null> {
    const { services, record, id } = this.#context;
    const settings = services.settings();
    if (!settings.volPerJob) return this.follow(null);
    const { uid, gid, queueName } = record.spec;
    let volumnId: string | undefined;
    try {
      let volume = await readVolume(this.#place.folder);
      if (!volume) {
        volume = await (await this.#drivers.driver(null)).create({
          ...this.#place,
          path: join(settings.volMountPath, id),
          sizeGB: settings.diskSizeGB,
          diskType: settings.diskType,
          throughputMB: settings.diskThroughputMB,
          tags: { ...settings.customTags, 'cairn:queue': queueName },
          uid,
          gid,
          token: `${id}-${record.epoch}`,
        });
        await writeVolume(this.#place.folder, volume);
      }
      volumnId = volume.id;
      if (!volume.isReady) await this.#context.commit({}, [{ eventType: 'Volume-Created', volumnId }]);
      await this.#attach(volume, null);
      return null;
    } catch (error) {
      return this.#unready('Volume-Unready', volumnId, error);
    }
  }

  /** Moves with the job, whatever the setting says by now. Why it cannot; null where it did, or where there is none. */
  async follow(snapshot: string | null): Promise<string | null> {
    let volume: Volume | null = null;
    try {
      volume = await readVolume(this.#place.folder);
      if (volume) await this.#attach(volume, snapshot);
      return null;
    } catch (error) {
      return this.#unready('Volume-RestoreUnready', volume?.id, error);
    }
  }

  /** What the job has written to it is on its device, and in a snapshot where other zones need one: what the manifest says of it. */
  async save(image: string): Promise<{ readonly id: string; readonly snapshot: string | null } | null> {
    const volume = await readVolume(this.#place.folder);
    if (!volume) return null;
    if (volume.kind !== 'folder') await flush(volume.path);
    const snapshot = await (await this.#drivers.driver(volume)).snapshot(this.#place, volume);
    if (snapshot !== null) {
      const snapshots = [...volume.snapshots, { image, id: snapshot }];
      await writeVolume(this.#place.folder, { ...volume, snapshots });
    }
    return { id: volume.id, snapshot };
  }

  /** Removes the snapshots of images that are gone. */
  async sweep(): Promise<void> {
    const { folder } = this.#place;
    const volume = await readVolume(folder);
    if (!volume || volume.snapshots.length === 0) return;
    const isKept = ({ image }: { readonly image: string }): boolean => existsSync(join(folder, image));
    const driver = await this.#drivers.driver(volume);
    for (const gone of volume.snapshots.filter((snapshot) => !isKept(snapshot))) await driver.removeSnapshot(gone.id);
    const snapshots = volume.snapshots.filter(isKept);
    if (snapshots.length < volume.snapshots.length) await writeVolume(folder, { ...volume, snapshots });
  }

  /** The folder that the job's files on it lie in; null where it has no volume. */
  async folder(): Promise<string | null> {
    const volume = await readVolume(this.#place.folder);
    return volume && realPathOf(this.#place, volume);
  }

  async detach(): Promise<void> {
    try {
      const volume = await readVolume(this.#place.folder);
      if (volume) await (await this.#drivers.driver(volume)).detach(this.#place, volume);
    } catch (error) {
      const { services, id } = this.#context;
      services.log.warn(`cannot detach the volume of job ${id}: ${(error as Error).message}`);
    }
  }

  /** The job begins from scratch: what it had kept must not be seen by it. Removed with the job's images. */
  async setAside(): Promise<void> {
    const { folder } = this.#place;
    await this.detach();
    const aside = join(folder, 'aside');
    const time = Date.now();
    for (const name of [...LOCAL_NAMES, 'volume.json']) {
      if (!existsSync(join(folder, name))) continue;
      await makeFolder(aside);
      await rename(join(folder, name), join(aside, `${time}.${name}`));
    }
  }

  async #attach(volume: Volume, snapshot: string | null): Promise<void> {
    const { spec } = this.#context.record;
    const driver = await this.#drivers.driver(volume);
    const here = await driver.bring(this.#place, volume, snapshot);
    if (here !== volume) await writeVolume(this.#place.folder, here);
    await driver.attach(this.#place, here, here.isReady ? null : { uid: spec.uid, gid: spec.gid });
    if (!here.isReady) await writeVolume(this.#place.folder, { ...here, isReady: true });
    await this.#context.commit({}, [{ eventType: 'Volume-Attached', volumnId: here.id }]);
  }

  async #unready(eventType: string, volumnId: string | undefined, error: unknown): Promise<string> {
    const detail = (error as Error).message;
    await this.#context.commit({}, [{ eventType, ...(volumnId === undefined ? {} : { volumnId }), detail }]);
    return detail;
  }

  get #place(): VolumePlace {
    return { folder: join(this.#context.services.settings().imagePath, this.#context.id), jobId: this.#context.id };
  }
}
