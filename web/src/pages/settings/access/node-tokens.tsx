/** Tokens that worker nodes join with, and the command that uses one. */
import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { isId } from '../../../../../src/protocol/id.ts';
import type { NodeToken } from '../../../../../src/protocol/identity/identity.ts';
import { ttlMsOf } from '../../../../../src/protocol/identity/token-ttl.ts';
import { sendJson } from '../../../api/request.ts';
import { DialogEnd, useHold, useOutcome } from '../../../controls/dialog.tsx';
import { DialogButton } from '../../../controls/dialog-button.tsx';
import { CommandLine } from '../../../parts/command-line.tsx';
import { joinLine } from '../../../parts/join-line.ts';
import { LocalTime } from '../../../parts/time.tsx';
import { installScriptQuery } from '../../../queries/server.ts';
import { refusalText, refusedFields } from '../form/refusals.ts';
import { TextField } from '../form/text-field.tsx';
import { inHours, TTL_FAULT } from './token-time.ts';

const TTL_EXAMPLE = '1d';
const LABELS = { nodeId: 'Node', ttl: 'Valid for' };

export function NodeTokens(): ReactNode {
  return (
    <section className="panel" aria-labelledby="join-tokens">
      <div className="panel-head">
        <h3 id="join-tokens">Join tokens</h3>
        <DialogButton action="Make a join token…" title="Make a join token">
          <NodeTokenForm />
        </DialogButton>
      </div>
      <p className="muted">
        For workers: a new machine registers with a join token, and then gets a token of its own. Join tokens are not
        listed; each expires by itself.
      </p>
    </section>
  );
}

function NodeTokenForm(): ReactNode {
  const [nodeId, setNodeId] = useState('');
  const [ttl, setTtl] = useState(TTL_EXAMPLE);
  const make = useMutation({
    mutationFn: () =>
      sendJson<NodeToken>('POST', '/api/v1/security/nodeToken', {
        ttl: inHours(ttl),
        ...(nodeId === '' ? {} : { nodeId }),
      }),
  });
  useHold(!make.isSuccess && (nodeId !== '' || ttl !== TTL_EXAMPLE));
  const refused = refusedFields(make.error);
  const ttlFault = ttlMsOf(inHours(ttl)) === undefined ? TTL_FAULT : undefined;
  const nodeFault = nodeId !== '' && !isId(nodeId) ? 'has other signs than A-Z, a-z, 0-9 and . _ : @ -' : undefined;
  const isReady = ttlFault === undefined && nodeFault === undefined;
  return (
    <form
      aria-label="Make a join token"
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) make.mutate();
      }}
    >
      {make.data ? <MadeToken made={make.data} isJoin={nodeId === ''} /> : null}
      <fieldset className="bare" hidden={make.isSuccess} disabled={make.isSuccess}>
        <TextField
          label="Node"
          about="Empty: for any new node."
          value={nodeId}
          fault={nodeFault ?? refused['nodeId']}
          onChange={setNodeId}
        />
        <TextField
          label="Valid for"
          about="Ten years at most. A node that has joined does not need it any more."
          example={TTL_EXAMPLE}
          isShort
          value={ttl}
          fault={ttlFault ?? refused['ttl']}
          onChange={setTtl}
        />
        <DialogEnd fault={refusalText(make.error, LABELS)}>
          <button
            type="submit"
            className="primary"
            disabled={!isReady || make.isPending}
            title={isReady ? undefined : 'Correct the marked fields first'}
          >
            Make the token
          </button>
        </DialogEnd>
      </fieldset>
    </form>
  );
}

function MadeToken({ made, isJoin }: { made: NodeToken; isJoin: boolean }): ReactNode {
  const script = useQuery(installScriptQuery);
  const outcome = useOutcome(true);
  const { origin } = window.location;
  const command = `cairn agent --server ${origin} ${isJoin ? '--join-token' : '--token'} ${made.token}`;
  return (
    <>
      <div className="notice" {...outcome}>
        {isJoin && script.data !== undefined ? (
          <>
            <p>
              Run this line on a machine, or put it into the user data of your instances. It installs the agent and
              joins this server. The token is valid until <LocalTime at={made.expiresAt} /> and is shown once only.
            </p>
            <CommandLine
              line={joinLine({ origin, script: script.data, joinToken: made.token })}
              onCopy={outcome.onCopy}
            />
            <p>On a machine that already has the agent:</p>
          </>
        ) : (
          <p>
            Run this on the worker before <LocalTime at={made.expiresAt} />. The token is shown once only.
          </p>
        )}
        <CommandLine line={command} onCopy={outcome.onCopy} />
      </div>
      <DialogEnd cancel="Done" />
    </>
  );
}
