/** With `diagnosisMode`: keeps what the engine left of a failed save or restore, and ships its log. */
import { cp, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { JobContext } from './job-context.ts';

/** `folder` is the engine's; memory is left out, whatever is to be seen is in the rest. `log` is the name of its log. */
export async function keepDiagnosis(context: JobContext, folder: string, log: string): Promise<void> {
  const { services } = context;
  if (!services.settings().diagnosisMode) return;
  const time = new Date(services.timers.clock.wallMs()).toISOString().replaceAll(':', '-');
  const target = join(context.folder.diagnosis, time);
  const isKept = async (path: string): Promise<boolean> =>
    (await stat(path)).isDirectory() || !/pages-\d+\.img$/.test(path);
  await cp(folder, target, { recursive: true, filter: isKept }).catch((error: Error) =>
    services.log.warn(`cannot save the diagnosis of job ${context.id}: ${error.message}`),
  );
  await services.ship(join(target, log));
}
