/** What can be done with a node here: keep new jobs off it, or take it out so that its jobs may run elsewhere. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { WorkerNode } from '../../../../src/protocol/node.ts';
import { AWAY_TEXT, useIsAway } from '../../api/reachability.ts';
import { sendJson } from '../../api/request.ts';
import { ConfirmButton } from '../../controls/confirm-button.tsx';
import { sumOfUnsaved } from '../../lists/risk-tone.ts';
import { countText, spanText } from '../../parts/format.ts';
import { messageOf } from '../../parts/states.tsx';
import { type JobRow, nodeJobsQuery } from '../../queries/jobs.ts';
import { NEEDS_ADMIN, NEEDS_OPERATOR, useRole } from '../../queries/role.ts';

export function NodeActions({ node: { id, state, drained } }: { node: WorkerNode }): ReactNode {
  const { mayChange, mayOperate } = useRole();
  const isAway = useIsAway();
  const client = useQueryClient();
  const path = `/api/v1/node/${encodeURIComponent(id)}`;
  const onSettled = (): Promise<void> => client.invalidateQueries({ queryKey: ['nodes'] });
  const drain = useMutation({
    mutationFn: () => sendJson<unknown>(drained ? 'DELETE' : 'POST', `${path}/drain`),
    onSettled,
  });
  const remove = useMutation({ mutationFn: () => sendJson<unknown>('DELETE', path), onSettled });
  // The page's own list of its jobs.
  const { data: jobs } = useQuery(nodeJobsQuery(id));
  const error = drain.error ?? remove.error;
  if (state !== 'alive' && state !== 'late') return null;
  return (
    <>
      {error ? (
        <span className="bad" role="alert">
          {messageOf(error)}
        </span>
      ) : isAway ? (
        <span className="muted small">{AWAY_TEXT}</span>
      ) : mayChange ? null : (
        <span className="muted small">{mayOperate ? `Deregister: ${NEEDS_ADMIN.toLowerCase()}` : NEEDS_OPERATOR}</span>
      )}
      {/* One click does it, and one undoes it: so it is told. */}
      {drain.isSuccess && !isAway ? (
        <output className="muted small">{drained ? 'It takes no new jobs now' : 'It takes new jobs again'}</output>
      ) : null}
      <button
        type="button"
        title={isAway ? AWAY_TEXT : drained ? 'It may take new jobs again' : 'Its jobs go on, and it takes no new ones'}
        disabled={!mayOperate || isAway || drain.isPending}
        onClick={() => drain.mutate()}
      >
        {drained ? 'Undo drain' : 'Drain'}
      </button>
      <span className="apart">
        <ConfirmButton
          action="Deregister"
          question={`Deregister the node ${id}?`}
          consequence={`${strandedText(jobs?.rows)} If its agent still runs, it registers again at its next heartbeat.`}
          isLarge
          isHarmful
          isDisabled={!mayChange || isAway || remove.isPending}
          onConfirm={() => remove.mutate()}
        />
      </span>
    </>
  );
}

/** What would become of its jobs; without a number while they are not known. */
function strandedText(rows: readonly JobRow[] | undefined): string {
  if (rows === undefined) return 'Its running jobs become stranded, and other nodes may restore them.';
  const running = rows.filter(({ phase }) => phase === 'running');
  if (running.length === 0) return 'It has no running job.';
  const unsaved = spanText(sumOfUnsaved(running));
  return running.length === 1
    ? `Its running job (${unsaved} unsaved) becomes stranded, and another node may restore it.`
    : `Its ${countText(running.length)} running jobs (${unsaved} unsaved) become stranded, and other nodes may restore them.`;
}
