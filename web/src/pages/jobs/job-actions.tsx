/** What can be done with a job here. */
import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import type { JobDetail } from '../../../../src/protocol/job.ts';
import { lateEndingAt, statusEventOf } from '../../../../src/protocol/names/job-status.ts';
import { useIsAway } from '../../api/reachability.ts';
import { sendJson } from '../../api/request.ts';
import { DownloadButton } from '../../parts/download-button.tsx';
import { messageOf } from '../../parts/states.tsx';
import { timeZone, usePreference } from '../../preferences/preferences.ts';
import { nodeOfInstanceQuery } from '../../queries/nodes.ts';
import { NEEDS_OPERATOR, useRole } from '../../queries/role.ts';
import { momentLabel } from '../../range/range-text.ts';

export function JobActions({ job: { id, phase, status, nodeOid, updatedAt, events } }: { job: JobDetail }): ReactNode {
  const path = `/api/v1/job/${encodeURIComponent(id)}`;
  const save = useMutation({ mutationFn: () => sendJson<unknown>('POST', `${path}/checkpoint`) });
  const { reset } = save;
  // What was ordered has been done, or something else has happened.
  // biome-ignore lint/correctness/useExhaustiveDependencies: with each event of the job
  useEffect(() => reset(), [reset, updatedAt]);
  const { mayOperate } = useRole();
  const isAway = useIsAway();
  const zone = usePreference(timeZone);
  const { data: node } = useQuery({ ...nodeOfInstanceQuery(nodeOid), enabled: nodeOid !== '' });
  const cannot = !mayOperate
    ? NEEDS_OPERATOR
    : isAway
      ? 'The server cannot be reached'
      : node?.agent?.canCheckpoint === false
        ? `Node ${node.id} cannot checkpoint jobs`
        : status === 'Checkpointing'
          ? `Checkpoint in progress since ${momentLabel(Date.parse(statusEventOf(status, events)?.timestamp ?? updatedAt), Date.now(), zone)}`
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
      {phase === 'running' && lateEndingAt(events) === undefined ? (
        <>
          {cannot === undefined || save.isSuccess ? null : (
            <span id="why-no-checkpoint" className="muted small">
              {cannot}
            </span>
          )}
          {/* It takes the focus also where it does nothing: who comes by the keyboard is told why. */}
          <button
            type="button"
            className="primary"
            aria-disabled={cannot !== undefined || save.isPending || save.isSuccess}
            aria-describedby={cannot === undefined ? undefined : 'why-no-checkpoint'}
            onClick={() => {
              if (cannot === undefined && !save.isPending && !save.isSuccess) save.mutate();
            }}
          >
            Checkpoint now
          </button>
        </>
      ) : null}
      <DownloadButton from={`${path}/logs.tar.gz`} fileName={`${id}-logs.tar.gz`}>
        Log bundle
      </DownloadButton>
    </>
  );
}
