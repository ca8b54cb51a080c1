/** Tokens that worker nodes join with, and the command that uses one. */
import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import { isId } from '../../../../src/protocol/id.ts';
import type { NodeToken } from '../../../../src/protocol/identity/identity.ts';
import { ttlMsOf } from '../../../../src/protocol/identity/token-ttl.ts';
import { installScriptQuery } from '../../api/queries.ts';
import { sendJson } from '../../api/request.ts';
import { CommandLine } from '../../parts/command-line.tsx';
import { joinLine } from '../../parts/join-line.ts';
import { messageOf } from '../../parts/states.tsx';
import { LocalTime } from '../../parts/time.tsx';

export function NodeTokens(): ReactNode {
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
      className="panel"
      aria-label="Make a node token"
      onSubmit={(event) => {
        event.preventDefault();
        if (fault === undefined) make.mutate();
      }}
    >
      <h2>Node tokens</h2>
      <p>
        A worker registers with a join token, and then gets a token of its own. While the identity provider is off,
        workers need no token.
      </p>
      <div className="field">
        <label htmlFor={`${id}-node`}>Node</label>
        <div className="field-value">
          <input id={`${id}-node`} type="text" value={nodeId} onChange={(event) => setNodeId(event.target.value)} />
          <p className="muted small">The id of one node. Leave empty for a join token, which any new node can use.</p>
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
          Make a token
        </button>
      </div>
      {make.data ? <MadeToken made={make.data} isJoin={nodeId === ''} /> : null}
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
