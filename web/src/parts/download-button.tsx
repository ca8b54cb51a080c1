/** Saves an answer of the API, or what is made of it, as a file, and says so where it cannot. */
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { AWAY_TEXT, useIsAway } from '../api/reachability.ts';
import { download, saveAs } from '../api/request.ts';
import { messageOf } from './states.tsx';

interface DownloadButtonProps {
  /** Of the answer, or what makes the file. */
  readonly from: string | (() => Promise<Blob>);
  /** As it is at the click. */
  readonly fileName: string | (() => string);
  readonly children: ReactNode;
}

export function DownloadButton({ from, fileName, children }: DownloadButtonProps): ReactNode {
  const save = useMutation({
    mutationFn: async () => {
      const name = typeof fileName === 'string' ? fileName : fileName();
      if (typeof from === 'string') await download(from, name);
      else saveAs(await from(), name);
    },
  });
  const isAway = useIsAway();
  return (
    <>
      <button
        type="button"
        disabled={save.isPending || isAway}
        title={isAway ? AWAY_TEXT : undefined}
        onClick={() => save.mutate()}
      >
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
