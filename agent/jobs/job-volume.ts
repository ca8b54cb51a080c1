/** A job's own volume: made when it starts, moved with it, and let go of at its end; with the events that tell of it. */
import {
  attachVolume,
  createVolume,
  detachVolume,
  hasVolume,
  setVolumeAside,
  type VolumePlace,
  volumeIdOf,
} from '../volumes/local-volume.ts';
import type { JobContext } from './job-context.ts';

export class JobVolume {
  readonly #context: JobContext;

  constructor(context: JobContext) {
    this.#context = context;
  }

  /** Why the job cannot have its volume; null where it has it, or wants none. */
  async create(): Promise<string | null> {
    if (!this.#context.services.settings().volPerJob) return null;
    const { record } = this.#context;
    const volumnId = volumeIdOf(this.#context.id);
    try {
      mustBeLocal(process.env['CAIRN_VOLUME_DRIVER']);
      await createVolume(this.#place, record.spec);
      await this.#context.commit({}, [{ eventType: 'Volume-Created', volumnId }]);
      await attachVolume(this.#place);
      await this.#context.commit({}, [{ eventType: 'Volume-Attached', volumnId }]);
      return null;
    } catch (error) {
      const detail = (error as Error).message;
      await this.#context.commit({}, [{ eventType: 'Volume-Unready', volumnId, detail }]);
      return detail;
    }
  }

  /** Moves with the job, whatever the setting says by now. Throws where it cannot. */
  async follow(): Promise<void> {
    if (!(await hasVolume(this.#place))) return;
    const volumnId = volumeIdOf(this.#context.id);
    try {
      await attachVolume(this.#place);
    } catch (error) {
      const detail = (error as Error).message;
      await this.#context.commit({}, [{ eventType: 'Volume-RestoreUnready', volumnId, detail }]);
      throw error;
    }
    await this.#context.commit({}, [{ eventType: 'Volume-Attached', volumnId }]);
  }

  async detach(): Promise<void> {
    await detachVolume(this.#place).catch((error: Error) =>
      this.#context.services.log.warn(`cannot detach the volume of job ${this.#context.id}: ${error.message}`),
    );
  }

  setAside(): Promise<void> {
    return setVolumeAside(this.#place);
  }

  get #place(): VolumePlace {
    const { imagePath, volMountPath } = this.#context.services.settings();
    return { imagePath, mountPath: volMountPath, jobId: this.#context.id };
  }
}

function mustBeLocal(driver: string | undefined): void {
  if (driver === undefined || driver === '' || driver === 'local') return;
  throw new Error(`this version does not support the volume driver ${driver}: use local`);
}
