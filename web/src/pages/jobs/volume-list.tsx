/** The volumes of a job: when each was made, and how long it took to be attached. */
import type { ReactNode } from 'react';
import type { JobDetail } from '../../../../src/protocol/job.ts';
import { CopiedId } from '../../parts/facts.tsx';
import { spanText } from '../../parts/format.ts';
import { Moment } from '../../parts/time.tsx';
import { type Volume, volumesOf } from './volumes.ts';

export function VolumeList({ job }: { job: JobDetail }): ReactNode {
  const volumes = volumesOf(job);
  if (volumes.length === 0) return null;
  return (
    <>
      <h3 className="panel-part">Volumes</h3>
      <ul className="rows" aria-label="Volumes">
        {volumes.map((volume) => (
          <li key={volume.id}>
            <span>
              <CopiedId id={volume.id} what="the volume’s id" />
            </span>
            {volume.isUnready ? <span className="warn">not ready</span> : null}
            <span className="muted">{attachedText(volume)}</span>
            {momentOf(volume)}
          </li>
        ))}
      </ul>
    </>
  );
}

function momentOf({ createdAt, unreadyAt, attachedAt }: Volume): ReactNode {
  const at = createdAt ?? unreadyAt ?? attachedAt;
  return at === undefined ? null : <Moment at={at} />;
}

/** With the time behind it, where there is one. */
function attachedText({ createdAt, attachedAt, unreadyAt, isUnready }: Volume): string {
  if (createdAt === undefined && unreadyAt !== undefined) return isUnready ? 'since' : 'was not ready at';
  if (attachedAt === undefined) return createdAt === undefined ? 'named by the job' : 'never attached; created';
  if (createdAt === undefined) return 'attached';
  const seconds = (Date.parse(attachedAt) - Date.parse(createdAt)) / 1000;
  return `attached ${spanText(seconds)} after it was created`;
}
