/** What can be done with a job here. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { JobDetail } from '../../../../src/protocol/job.ts';
import { lateEndingAt, statusEventOf } from '../../../../src/protocol/names/job-status.ts';
import type { CheckpointOrder } from '../../../../src/protocol/order.ts';
import { useIsAway } from '../../api/reachability.ts';
import { sendJson } from '../../api/request.ts';
import { DownloadButton } from '../../parts/download-button.tsx';
import { messageOf } from '../../parts/states.tsx';
import { Age } from '../../parts/time.tsx';
import { timeZone, usePreference } from '../../preferences/preferences.ts';
import { checkpointOrderQuery } from '../../queries/jobs.ts';
import { nodeOfInstanceQuery } from '../../queries/nodes.ts';
import { NEEDS_OPERATOR, useRole } from '../../queries/role.ts';
import { momentLabel } from '../../range/range-text.ts';

export function JobActions({ job: { id, phase, status, nodeOid, updatedAt, events } }: { job: JobDetail }): ReactNode {
  const path = `/api/v1/job/${encodeURIComponent(id)}`;
  const isHere = phase === 'running' && lateEndingAt(events) === undefined;
  const ordered = checkpointOrderQuery(id);
  const client = useQueryClient();
  const save = useMutation({
    mutationFn: () => sendJson<unknown>('POST', `${path}/checkpoint`),
    onSuccess: () => client.invalidateQueries({ queryKey: ordered.queryKey }),
  });
  const { data } = useQuery({ ...ordered, enabled: isHere });
  const { mayOperate } = useRole();
  const isAway = useIsAway();
  const zone = usePreference(timeZone);
  const { data: node } = useQuery({ ...nodeOfInstanceQuery(nodeOid), enabled: nodeOid !== '' });
  // One for a node that it has left since is carried out by nobody.
  const isOfNode = data?.node === (node?.id ?? data?.node);
  const order = data && isHere && isOfNode && !isFollowed(data, events) ? data : undefined;
  const cannot = !mayOperate
    ? NEEDS_OPERATOR
    : isAway
      ? 'The server cannot be reached'
      : node?.agent?.canCheckpoint === false
        ? `Node ${node.id} cannot checkpoint jobs`
        : status === 'Checkpointing'
          ? `Checkpoint in progress since ${momentLabel(Date.parse(statusEventOf(status, events)?.timestamp ?? updatedAt), Date.now(), zone)}`
          : undefined;
  const isWaiting = order?.takenAt === null || save.isPending;
  return (
    <>
      {order ? (
        <span className="muted" role="status">
          <OrderText order={order} />
        </span>
      ) : save.error ? (
        <span className="bad" role="alert">
          {messageOf(save.error)}
        </span>
      ) : null}
      {isHere ? (
        <>
          {cannot === undefined || order ? null : (
            <span id="why-no-checkpoint" className="muted small">
              {cannot}
            </span>
          )}
          {/* It takes the focus also where it does nothing: who comes by the keyboard is told why. */}
          <button
            type="button"
            className="primary"
            aria-disabled={cannot !== undefined || isWaiting}
            aria-describedby={cannot === undefined || order ? undefined : 'why-no-checkpoint'}
            onClick={() => {
              if (cannot === undefined && !isWaiting) save.mutate();
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

/** Whether a checkpoint has begun, or ended, since it was ordered: events tell all that comes after. */
function isFollowed({ orderedAt }: CheckpointOrder, events: JobDetail['events']): boolean {
  return events.some(
    ({ eventType, timestamp }) =>
      eventType.startsWith('Job-Checkpoint') && Date.parse(timestamp) >= Date.parse(orderedAt),
  );
}

function OrderText({ order: { orderedAt, takenAt } }: { order: CheckpointOrder }): ReactNode {
  return (
    <>
      Checkpoint ordered <Age of={orderedAt} />.{' '}
      {takenAt === null ? (
        'Waiting for its node to take the order.'
      ) : (
        <>
          Its node took the order <Age of={takenAt} /> and has not begun yet.
        </>
      )}
    </>
  );
}
