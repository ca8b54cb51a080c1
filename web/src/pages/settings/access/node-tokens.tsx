/** Tokens that worker nodes join with, and the command that uses one. */
import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import { isId } from '../../../../../src/protocol/id.ts';
import type { NodeToken } from '../../../../../src/protocol/identity/identity.ts';
import { ttlMsOf } from '../../../../../src/protocol/identity/token-ttl.ts';
import { installScriptQuery } from '../../../api/queries.ts';
import { sendJson } from '../../../api/request.ts';
import { DialogButton } from '../../../controls/dialog-button.tsx';
import { CommandLine } from '../../../parts/command-line.tsx';
import { joinLine } from '../../../parts/join-line.ts';
import { messageOf } from '../../../parts/states.tsx';
import { LocalTime } from '../../../parts/time.tsx';

export function NodeTokens(): ReactNode {
  return (
    <section className="panel" aria-labelledby="join-tokens">
      <div className="panel-head">
        <h2 id="join-tokens">Join tokens</h2>
        <DialogButton action="Make a join token…" title="Make a join token">
          <NodeTokenForm />
        </DialogButton>
      </div>
      <p className="muted">
        For workers: a new machine registers with a join token, and then gets a token of its own. Join tokens are not
        listed; each ends by itself.
      </p>
    </section>
  );
}

function NodeTokenForm(): ReactNode {
  const [nodeId, setNodeId] = useState('');
  const [ttl, setTtl] = useState('24h');
  const id = useId();
  const make = useMutation({
    mutationFn: () =>
      sendJson<NodeToken>('POST', '/api/v1/security/nodeToken', { ttl, ...(nodeId === '' ? {} : { nodeId }) }),
  });
  const fault =
    ttlMsOf(ttl) === undefined
      ? 'Valid for: enter a duration of at most 87600h, such as 24h'
      : nodeId !== '' && !isId(nodeId)
        ? 'Node: use only A-Z, a-z, 0-9 and . _ : @ -'
        : undefined;
  return (
    <form
      aria-label="Make a join token"
      onSubmit={(event) => {
        event.preventDefault();
        if (fault === undefined) make.mutate();
      }}
    >
      {make.data ? <MadeToken made={make.data} isJoin={nodeId === ''} /> : null}
      <fieldset className="bare" hidden={make.isSuccess} disabled={make.isSuccess}>
        <div className="field">
          <label htmlFor={`${id}-node`}>Node</label>
          <div className="field-value">
            <input id={`${id}-node`} type="text" value={nodeId} onChange={(event) => setNodeId(event.target.value)} />
            <p className="muted small">
              Leave empty: any new node can join with the token. With the id of a node, it is for that node only.
            </p>
          </div>
        </div>
        <div className="field">
          <label htmlFor={`${id}-ttl`}>Valid for</label>
          <div className="field-value">
            <input
              id={`${id}-ttl`}
              type="text"
              className="input-short"
              value={ttl}
              onChange={(event) => setTtl(event.target.value)}
            />
            <p className="muted small">A duration, such as 24h.</p>
          </div>
        </div>
        {fault || make.error ? (
          <p className="bad" role="alert">
            {fault ?? messageOf(make.error)}
          </p>
        ) : null}
        <div className="form-end">
          <button type="submit" className="primary" disabled={fault !== undefined || make.isPending}>
            Make the token
          </button>
        </div>
      </fieldset>
    </form>
  );
}

function MadeToken({ made, isJoin }: { made: NodeToken; isJoin: boolean }): ReactNode {
  const script = useQuery(installScriptQuery);
  const { origin } = window.location;
  const command = `cairn agent --server ${origin} ${isJoin ? '--join-token' : '--token'} ${made.token}`;
  return (
    <div className="notice">
      {isJoin && script.data !== undefined ? (
        <>
          <p>
            Run this line on a machine, or put it into the user data of your instances. It installs the agent and joins
            this server. The token is valid until <LocalTime at={made.expiresAt} /> and is shown once only.
          </p>
          <CommandLine line={joinLine({ origin, script: script.data, joinToken: made.token })} />
          <p>On a machine that already has the agent:</p>
        </>
      ) : (
        <p>
          Run this on the worker before <LocalTime at={made.expiresAt} />. The token is shown once only.
        </p>
      )}
      <CommandLine line={command} />
    </div>
  );
}
