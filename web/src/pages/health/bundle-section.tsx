/** The support bundle as a file, and the command that makes the same where only a shell is at hand. */
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useIsAway } from '../../api/reachability.ts';
import { CommandLine } from '../../parts/command-line.tsx';
import { messageOf } from '../../parts/states.tsx';
import { saveSupportBundle } from './support-bundle.ts';

export function SupportBundle(): ReactNode {
  const save = useMutation({ mutationFn: saveSupportBundle });
  const isAway = useIsAway();
  return (
    <section className="panel" aria-labelledby="support">
      <div className="panel-head bundle-head">
        <div>
          <h2 id="support">Support bundle</h2>
          <p className="muted">Everything support needs of this server, in one file, without secrets.</p>
        </div>
        <button type="button" disabled={save.isPending || isAway} onClick={() => save.mutate()}>
          {save.isPending ? 'Reading the server…' : 'Download support bundle'}
        </button>
      </div>
      {save.data ? (
        <p role="status">
          Saved {save.data.fileName}. Look through it before you send it to anybody.
          {save.data.missing.length === 0 ? null : (
            <span className="warn"> Left out: {save.data.missing.join('; ')}.</span>
          )}
        </p>
      ) : null}
      {save.error ? (
        <p className="bad" role="alert">
          {messageOf(save.error)}
        </p>
      ) : null}
      <details key={String(isAway)} open={isAway}>
        <summary>The same with a command</summary>
        <CommandLine line={`cairn support-bundle --server ${window.location.origin}`} />
      </details>
    </section>
  );
}
