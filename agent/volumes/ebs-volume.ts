/**
 * The volume driver `ebs`: a block volume of EC2 for each job, attached to the instance that the job runs on. It can be
 * attached within its zone only, so a snapshot is taken with each image: in another zone the job gets a volume made of it.
 */
import { existsSync, statSync } from 'node:fs';
import { chmod, chown } from 'node:fs/promises';
import type { Cancel } from '../base/timers.ts';
import { type Ec2Calls, type Ec2Volume, isGone } from './ec2-calls.ts';
import { flush, makeFileSystem, mount, sourceOf, unmount } from './mounts.ts';
import type { NewVolume, Volume, VolumeDriver, VolumeOwner, VolumePlace } from './volume.ts';

export interface EbsParts {
  readonly calls: Ec2Calls;
  readonly zone: string;
  readonly instanceId: string;
  readonly after: (ms: number, run: () => void) => Cancel;
}

const LOOK_MS = 1_000;
/** A volume of a snapshot takes a minute on a bad day. */
const AVAILABLE_LOOKS = 120;
/** From the answer of AttachVolume to the device in the kernel. */
const DEVICE_LOOKS = 30;
/** A dead instance lets go of its volumes by itself in most cases; after this it is made to. */
const DETACH_LOOKS = 20;
/** Names that EC2 recommends for volumes; the kernel may call them otherwise. */
const DEVICES = [...'fghijklmnop'].map((suffix) => `/dev/sd${suffix}`);

export class EbsVolumes implements VolumeDriver {
  readonly #parts: EbsParts;

  constructor(parts: EbsParts) {
    this.#parts = parts;
  }

  async create({ jobId, path, sizeGB, diskType, throughputMB, tags, token }: NewVolume): Promise<Volume> {
    const { calls, zone } = this.#parts;
    const id = await calls.createVolume({ zone, sizeGB, diskType, throughputMB, tags: tagsOf(jobId, tags), token });
    await this.#until(id, ({ state }) => state === 'available' || state === 'in-use', AVAILABLE_LOOKS);
    return { driver: 'ebs', id, kind: 'device', path, zone, isReady: false, snapshots: [] };
  }

  async attach(_: VolumePlace, { id, path }: Volume, owner: VolumeOwner | null): Promise<void> {
    const device = await this.#deviceOf(id);
    if (sourceOf(path) === null) {
      if (owner) await makeFileSystem(device);
      await mount(device, path, statSync(device).isFile());
    }
    if (!owner) return;
    await chmod(path, 0o700);
    await chown(path, owner.uid, owner.gid);
  }

  async bring(place: VolumePlace, volume: Volume, snapshot: string | null): Promise<Volume> {
    const { calls, zone } = this.#parts;
    const known = await calls.volume(volume.id);
    if (known && volume.zone === zone) {
      await this.#free(known);
      return volume;
    }
    const why = known ? `is in zone ${volume.zone}, this node in ${zone || 'none'}` : 'does not exist any more';
    if (snapshot === null) throw new Error(`volume ${volume.id} ${why}, and the image has no snapshot of it`);
    const token = `${place.jobId}-${snapshot}-${zone}`;
    const like = known ?? { sizeGB: null, diskType: null, throughputMB: null, tags: tagsOf(place.jobId, {}) };
    const id = await calls.createVolume({ ...like, zone, snapshot, token });
    await this.#until(id, ({ state }) => state === 'available' || state === 'in-use', AVAILABLE_LOOKS);
    // The images' snapshots hold what the old one held.
    if (known) {
      await this.#free(known)
        .then(() => calls.deleteVolume(volume.id))
        .catch(() => {});
    }
    return { ...volume, id, zone };
  }

  async detach(_: VolumePlace, { id, path }: Volume): Promise<void> {
    const { calls, instanceId } = this.#parts;
    await unmount(path);
    const known = await calls.volume(id);
    if (known?.instanceId === instanceId) await calls.detachVolume(id, instanceId, false);
  }

  async snapshot({ jobId }: VolumePlace, { id, path }: Volume): Promise<string> {
    await flush(path);
    return this.#parts.calls.createSnapshot(id, tagsOf(jobId, {}));
  }

  async removeSnapshot(id: string): Promise<void> {
    await this.#parts.calls.deleteSnapshot(id).catch(ignoreGone);
  }

  async remove(_: VolumePlace, { id, path, snapshots }: Volume): Promise<void> {
    const { calls } = this.#parts;
    await unmount(path);
    const known = await calls.volume(id);
    if (known) {
      await this.#free(known);
      await calls.deleteVolume(id).catch(ignoreGone);
    }
    for (const snapshot of snapshots) await this.removeSnapshot(snapshot.id);
  }

  /** The device of the volume, attached to this instance. */
  async #deviceOf(id: string): Promise<string> {
    const { calls, instanceId } = this.#parts;
    let known = await calls.volume(id);
    if (!known) throw new Error(`volume ${id} does not exist`);
    if (known.instanceId !== instanceId) {
      const used = await calls.devicesOf(instanceId);
      const free = DEVICES.find((device) => !used.includes(device));
      if (!free) throw new Error(`instance ${instanceId} has no free device name for volume ${id}`);
      await calls.attachVolume(id, instanceId, free);
    }
    known = await this.#until(id, (volume) => volume.isAttached && volume.instanceId === instanceId, DETACH_LOOKS);
    const names = namesOf(id, known.device ?? '');
    for (let look = 0; look < DEVICE_LOOKS; look++) {
      const device = names.find((name) => existsSync(name));
      if (device) return device;
      await this.#pause();
    }
    throw new Error(`volume ${id} is attached, but none of ${names.join(', ')} appears`);
  }

  /** Of whatever instance has it. This node holds the job's claim, so what runs there does not count. */
  async #free({ id, instanceId }: Ec2Volume): Promise<void> {
    const { calls } = this.#parts;
    if (instanceId === null || instanceId === this.#parts.instanceId) return;
    await calls.detachVolume(id, instanceId, false);
    const free = (volume: Ec2Volume): boolean => volume.state === 'available';
    await this.#until(id, free, DETACH_LOOKS).catch(async () => {
      await calls.detachVolume(id, instanceId, true);
      await this.#until(id, free, DETACH_LOOKS);
    });
  }

  async #until(id: string, isDone: (volume: Ec2Volume) => boolean, looks: number): Promise<Ec2Volume> {
    let state = 'missing';
    for (let look = 0; look < looks; look++) {
      const volume = await this.#parts.calls.volume(id);
      if (volume && isDone(volume)) return volume;
      state = volume?.state ?? 'missing';
      if (state === 'error') break;
      await this.#pause();
    }
    throw new Error(`volume ${id} is ${state}, and does not come further`);
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => this.#parts.after(LOOK_MS, resolve));
  }
}

/** What the kernel may call the device: NVMe by the volume's id, Xen as it was attached. */
function namesOf(id: string, device: string): string[] {
  const byId = `/dev/disk/by-id/nvme-Amazon_Elastic_Block_Store_${id.replace('-', '')}`;
  return [byId, ...(device === '' ? [] : [device, device.replace(/^\/dev\/sd/, '/dev/xvd')])];
}

function tagsOf(jobId: string, custom: Readonly<Record<string, string>>): Record<string, string> {
  return { Name: `cairn-${jobId}`, 'cairn:job': jobId, ...custom };
}

function ignoreGone(error: unknown): void {
  if (!isGone(error)) throw error;
}
