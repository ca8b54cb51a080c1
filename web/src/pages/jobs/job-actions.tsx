/** What can be done with a job here. */
import { useMutation, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { JobDetail } from '../../../../src/protocol/job.ts';
import { nodeOfInstanceQuery } from '../../api/queries.ts';
import { sendJson } from '../../api/request.ts';
import { useRole } from '../../api/role.ts';
import { DownloadButton } from '../../parts/download-button.tsx';
import { messageOf } from '../../parts/states.tsx';

export function JobActions({ job: { id, phase, status, nodeOid } }: { job: JobDetail }): ReactNode {
  const path = `/api/v1/job/${encodeURIComponent(id)}`;
  const save = useMutation({ mutationFn: () => sendJson<unknown>('POST', `${path}/checkpoint`) });
  const { mayOperate } = useRole();
  const { data: node } = useQuery({ ...nodeOfInstanceQuery(nodeOid), enabled: nodeOid !== '' });
  const cannot = !mayOperate
    ? 'Needs the role operator or administrator'
    : node?.agent?.canCheckpoint === false
      ? `Node ${node.id} cannot checkpoint jobs`
      : status === 'Checkpointing'
        ? 'A checkpoint is in progress'
        : undefined;
  return (
    <>
      {save.isSuccess ? (
        <span className="muted" role="status">
          Ordered. The node saves the job at its next heartbeat.
        </span>
      ) : save.error ? (
        <span className="bad" role="alert">
          {messageOf(save.error)}
        </span>
      ) : null}
      {phase === 'running' ? (
        <button
          type="button"
          className="primary"
          disabled={cannot !== undefined || save.isPending}
          title={cannot}
          onClick={() => save.mutate()}
        >
          Checkpoint now
        </button>
      ) : null}
      <DownloadButton path={`${path}/logs.tar.gz`} fileName={`${id}-logs.tar.gz`}>
        Log bundle
      </DownloadButton>
    </>
  );
}
