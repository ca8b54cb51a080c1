/** The volumes of a job: when each was made, and how long it took to be attached. */
import type { ReactNode } from 'react';
import type { JobDetail } from '../../../../src/protocol/job.ts';
import { CopiedId } from '../../parts/facts.tsx';
import { Moment } from '../../parts/time.tsx';
import { volumeFact, volumesOf } from './volumes.ts';

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
            {volume.isUnready ? <span className="bad">not ready</span> : null}
            <VolumeFact {...volumeFact(volume)} />
          </li>
        ))}
      </ul>
    </>
  );
}

function VolumeFact({ text, at }: ReturnType<typeof volumeFact>): ReactNode {
  return (
    <>
      <span className="muted">{text}</span>
      {at === undefined ? null : <Moment at={at} />}
    </>
  );
}
