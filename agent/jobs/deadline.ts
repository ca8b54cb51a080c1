/** Whether a job can be saved within the notice that its cloud gives before it takes the machine. Pure. */
import { detailOf } from '../base/detail-codes.ts';

const MIB = 1_048_576;
/** AWS tells two minutes before; Google and Azure half a minute, and so does nobody else more. */
const AWS_NOTICE_MS = 120_000;
const NOTICE_MS = 30_000;

export function noticeMsOf(cloud: string): number {
  return cloud === 'aws' ? AWS_NOTICE_MS : NOTICE_MS;
}

/**
 * The warning for an event, or null where there is time enough. `bytes`: what a save would store; `saveMBps`: the rate of
 * the last one in MiB a second, null where nothing was saved yet.
 */
export function deadlineWarning(bytes: number, saveMBps: number | null, noticeMs: number): string | null {
  if (saveMBps === null || saveMBps <= 0) return null;
  const needsMs = (bytes / MIB / saveMBps) * 1_000;
  if (needsMs <= noticeMs) return null;
  return detailOf(
    'slow',
    `${Math.ceil(bytes / MIB)} MiB at ${Math.round(saveMBps * 10) / 10} MiB/s take ${Math.round(needsMs / 1_000)} s, ` +
      `but the cloud may give only ${noticeMs / 1_000} s notice: use faster storage, or less memory`,
  );
}
