/** Which driver makes and moves a volume: the one that made it; for a new one what is asked for, or what the machine suggests. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Timers } from '../base/timers.ts';
import type { Instance } from '../instance/instance.ts';
import { EbsVolumes } from './ebs-volume.ts';
import { Ec2, type Ec2Calls } from './ec2-calls.ts';
import { LocalVolumes } from './local-volume.ts';
import { readVolume, type Volume, type VolumeDriver } from './volume.ts';

export interface VolumeDriversParts {
  /** `CAIRN_VOLUME_DRIVER`; undefined or empty for what the machine suggests. */
  readonly wanted: string | undefined;
  readonly instance: Pick<Instance, 'cloud' | 'zone' | 'region' | 'instanceId'>;
  readonly timers: Timers;
  readonly note: (text: string) => void;
  readonly calls?: Ec2Calls;
}

export class VolumeDrivers {
  readonly #parts: VolumeDriversParts;
  readonly #local: LocalVolumes;
  readonly #ebs: EbsVolumes;
  readonly #calls: Ec2Calls;

  constructor(parts: VolumeDriversParts) {
    this.#parts = parts;
    const { instance, timers, note } = parts;
    this.#calls = parts.calls ?? new Ec2(instance.cloud === 'aws' ? instance.region : '');
    this.#local = new LocalVolumes(note);
    const { zone, instanceId } = instance;
    this.#ebs = new EbsVolumes({ calls: this.#calls, zone, instanceId, after: (ms, run) => timers.after(ms, run) });
  }

  /** Of that volume, or of a new one where null. Throws a sentence where the one that is asked for does not exist. */
  async driver(volume: Volume | null): Promise<VolumeDriver> {
    const { wanted, instance } = this.#parts;
    const name = volume?.driver ?? (wanted || null);
    switch (name) {
      case 'local':
        return this.#local;
      case 'ebs':
        return this.#ebs;
      case null:
        return instance.cloud === 'aws' && (await this.#calls.hasCredentials()) ? this.#ebs : this.#local;
      default:
        throw new Error(`there is no volume driver ${name}: set CAIRN_VOLUME_DRIVER to local or ebs`);
    }
  }

  /** Before a job's folder is removed: its volumes go, also those that were set aside. Throws where one cannot be. */
  async removeAll(folder: string, jobId: string): Promise<void> {
    const aside = (await readdir(join(folder, 'aside')).catch(() => [])).filter((name) => name.endsWith('volume.json'));
    for (const name of ['volume.json', ...aside.map((file) => join('aside', file))]) {
      const volume = await readVolume(folder, name);
      if (volume) await (await this.driver(volume)).remove({ folder, jobId }, volume);
    }
  }
}
