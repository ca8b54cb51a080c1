/** Saves an answer of the API as a file, and says so where it cannot. */
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useIsAway } from '../api/reachability.ts';
import { download } from '../api/request.ts';
import { messageOf } from './states.tsx';

export function DownloadButton(props: { path: string; fileName: string; children: ReactNode }): ReactNode {
  const { path, fileName, children } = props;
  const save = useMutation({ mutationFn: () => download(path, fileName) });
  const isAway = useIsAway();
  return (
    <>
      <button type="button" disabled={save.isPending || isAway} onClick={() => save.mutate()}>
        {children}
      </button>
      {save.error ? (
        <span className="bad" role="alert">
          {messageOf(save.error)}
        </span>
      ) : null}
    </>
  );
}
