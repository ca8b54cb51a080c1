/** Ships the output of all jobs of this node, a chunk of each file in turn, while the server is there. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomically } from '../base/atomic-file.ts';
import type { Cancel, Timers } from '../base/timers.ts';
import type { JobFolder } from './job-folder.ts';
import { NEW_OUTPUT, OutputLog, type OutputState, type PostOutput } from './output-log.ts';

export interface OutputShipperParts {
  readonly post: PostOutput;
  readonly isUp: () => boolean;
  readonly timers: Timers;
}

const LOOK_MS = 1_000;
const AFTER_FAILURE_MS = 2_000;

export interface JobOutput {
  readonly stdout: OutputLog;
  readonly stderr: OutputLog;
  readonly stateFile: string;
}

export class OutputShipper {
  readonly #parts: OutputShipperParts;
  readonly #jobs = new Map<string, JobOutput>();
  #round: Promise<boolean> | null = null;
  #cancel: Cancel = () => {};
  #isStopped = false;

  constructor(parts: OutputShipperParts) {
    this.#parts = parts;
  }

  /** From now on the files of this job are shipped. */
  add(jobId: string, folder: JobFolder): JobOutput {
    const known = this.#jobs.get(jobId);
    if (known) return known;
    const stateFile = join(folder.path, 'output.json');
    const states = tryStates(stateFile);
    const output: JobOutput = {
      stdout: new OutputLog(folder.output('stdout'), states.stdout),
      stderr: new OutputLog(folder.output('stderr'), states.stderr),
      stateFile,
    };
    this.#jobs.set(jobId, output);
    this.wake();
    return output;
  }

  /** After the job's end: all that is there now is sent, if the server is. */
  async drain(jobId: string): Promise<boolean> {
    const output = this.#jobs.get(jobId);
    if (!output) return true;
    for (let more = true; more && this.#parts.isUp(); ) more = (await this.#look()) && (await pendingOf(output)) > 0;
    return (await pendingOf(output)) === 0;
  }

  remove(jobId: string): void {
    this.#jobs.delete(jobId);
  }

  wake(): void {
    if (this.#isStopped) return;
    this.#cancel();
    this.#cancel = this.#parts.timers.after(0, () => void this.#tick());
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    await this.#round;
  }

  async #tick(): Promise<void> {
    if (this.#jobs.size === 0) return;
    let ms = LOOK_MS;
    if (this.#parts.isUp()) {
      try {
        if (await this.#look()) ms = 20;
      } catch {
        ms = AFTER_FAILURE_MS;
      }
    }
    if (this.#isStopped) return;
    this.#cancel();
    this.#cancel = this.#parts.timers.after(ms, () => void this.#tick());
  }

  /** One round at a time; whether there was something to send and it was taken. */
  async #look(): Promise<boolean> {
    while (this.#round) await this.#round;
    this.#round = this.#lookOnce().finally(() => {
      this.#round = null;
    });
    return this.#round;
  }

  async #lookOnce(): Promise<boolean> {
    let moved = false;
    for (const output of [...this.#jobs.values()]) {
      const before = JSON.stringify([output.stdout.state, output.stderr.state]);
      for (const log of [output.stdout, output.stderr]) {
        const step = await log.step(this.#parts.post);
        moved ||= step === 'moved';
      }
      if (JSON.stringify([output.stdout.state, output.stderr.state]) !== before) await saveOutput(output);
    }
    return moved;
  }
}

export async function pendingOf({ stdout, stderr }: JobOutput): Promise<number> {
  return (await stdout.pending()) + (await stderr.pending());
}

export async function saveOutput({ stdout, stderr, stateFile }: JobOutput): Promise<void> {
  await writeFileAtomically(stateFile, `${JSON.stringify({ stdout: stdout.state, stderr: stderr.state })}\n`).catch(
    () => {},
  );
}

function tryStates(path: string): { readonly stdout: OutputState; readonly stderr: OutputState } {
  try {
    const { stdout, stderr } = JSON.parse(readFileSync(path, 'utf8'));
    return { stdout: { ...NEW_OUTPUT, ...stdout }, stderr: { ...NEW_OUTPUT, ...stderr } };
  } catch {
    return { stdout: NEW_OUTPUT, stderr: NEW_OUTPUT };
  }
}
