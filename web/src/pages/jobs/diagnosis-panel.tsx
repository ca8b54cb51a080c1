/** The first thing on a job's page: how it is, in words. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { mustDurationMs } from '../../../../src/protocol/duration.ts';
import type { JobDetail } from '../../../../src/protocol/job.ts';
import { configQuery } from '../../api/queries.ts';
import { useNowMs } from '../../parts/clock.ts';
import { diagnose } from './diagnosis.ts';
import type { JobNode } from './job-nodes.ts';

export function DiagnosisPanel({ job, nodes }: { job: JobDetail; nodes: readonly JobNode[] }): ReactNode {
  const { data: config } = useQuery(configQuery);
  const nowMs = useNowMs();
  const node = nodes.find(({ nodeOid }) => nodeOid === job.nodeOid)?.node;
  if (!config) return null;
  const intervalMs = config.ckpt.ckptMode === 'iterative' ? mustDurationMs(config.ckpt.ckptInterval) : undefined;
  return (
    <ul className="findings" aria-label="How it is">
      {diagnose({ job, node, intervalMs, nowMs }).map(({ tone, text }) => (
        <li key={text} className={`finding finding-${tone}`}>
          {text}
        </li>
      ))}
    </ul>
  );
}
