/**
 * Where everything of a job lies on this node.
 *
 *   <agent-dir>/jobs/<job id>/
 *     job.json                  the record: what it is, how far it is, which copy runs
 *     stdout.log, stderr.log    the output of the copies that ran on this node
 *     copies/<n>/               the shim's files of a copy: shim, engine, started, exit; shim.log
 *     dump/, restore/           the engine's working files
 *     dump.held                 what a guarded dump must put back, while one is in progress
 *     diagnosis/                what a failed checkpoint or restore left, where diagnosisMode is on
 */
import { mkdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';

export class JobFolder {
  readonly path: string;

  constructor(dataFolder: string, jobId: string) {
    // A job's id has no slash; `.` and `..` are no ids.
    this.path = join(dataFolder, 'jobs', jobId);
  }

  make(): void {
    mkdirSync(this.path, { recursive: true, mode: 0o750 });
  }

  get record(): string {
    return join(this.path, 'job.json');
  }

  output(stream: 'stdout' | 'stderr'): string {
    return join(this.path, `${stream}.log`);
  }

  copy(number: number): string {
    return join(this.path, 'copies', String(number));
  }

  get dump(): string {
    return join(this.path, 'dump');
  }

  get held(): string {
    return join(this.path, 'dump.held');
  }

  get restore(): string {
    return join(this.path, 'restore');
  }

  /** What only saves and restores need; the job is over. */
  async removeScratch(): Promise<void> {
    const names = ['dump', 'restore', 'dump.held', 'dump.report', 'dump.sh', 'dump.lengths', 'dump.files'];
    await Promise.all(names.map((name) => rm(join(this.path, name), { recursive: true, force: true })));
  }

  get diagnosis(): string {
    return join(this.path, 'diagnosis');
  }
}
