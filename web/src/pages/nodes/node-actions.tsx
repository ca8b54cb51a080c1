/** What can be done with a node here: keep new jobs off it, or take it out so that its jobs may run elsewhere. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { WorkerNode } from '../../../../src/protocol/node.ts';
import { sendJson } from '../../api/request.ts';
import { useRole } from '../../api/role.ts';
import { ConfirmButton } from '../../controls/confirm-button.tsx';
import { messageOf } from '../../parts/states.tsx';

export function NodeActions({ node: { id, state, drained } }: { node: WorkerNode }): ReactNode {
  const { mayChange, mayOperate } = useRole();
  const client = useQueryClient();
  const path = `/api/v1/node/${encodeURIComponent(id)}`;
  const onSettled = (): Promise<void> => client.invalidateQueries({ queryKey: ['nodes'] });
  const drain = useMutation({
    mutationFn: () => sendJson<unknown>(drained ? 'DELETE' : 'POST', `${path}/drain`),
    onSettled,
  });
  const remove = useMutation({ mutationFn: () => sendJson<unknown>('DELETE', path), onSettled });
  const error = drain.error ?? remove.error;
  if (state !== 'alive' && state !== 'late') return null;
  return (
    <>
      {error ? (
        <span className="bad" role="alert">
          {messageOf(error)}
        </span>
      ) : null}
      <button type="button" disabled={!mayOperate || drain.isPending} onClick={() => drain.mutate()}>
        {drained ? 'Undo drain' : 'Drain'}
      </button>
      <ConfirmButton
        action="Deregister"
        question={`Deregister the node ${id}?`}
        consequence="Its running jobs become stranded, and other nodes may restore them. If its agent still runs, it registers again at its next heartbeat."
        isLarge
        isDisabled={!mayChange || remove.isPending}
        onConfirm={() => remove.mutate()}
      />
    </>
  );
}
