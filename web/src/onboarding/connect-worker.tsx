/** The line that makes a machine a worker node, and what installs the agent first where it is missing. */
import { useMutation, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { NodeToken } from '../../../src/protocol/identity/identity.ts';
import { sendJson } from '../api/request.ts';
import { CommandLine } from '../parts/command-line.tsx';
import { joinLine } from '../parts/join-line.ts';
import { messageOf } from '../parts/states.tsx';
import { useRole } from '../queries/role.ts';
import { installScriptQuery } from '../queries/server.ts';

/** Long enough to read this page; a worker gets a token of its own when it registers. */
const TOKEN_TTL = '1h';

const LOOPBACK = /^(localhost|127\..*|\[::1\])$/;

export function ConnectWorker(): ReactNode {
  const { mayOperate } = useRole();
  const make = useMutation({
    mutationFn: () => sendJson<NodeToken>('POST', '/api/v1/security/nodeToken', { ttl: TOKEN_TTL }),
  });
  const script = useQuery({ ...installScriptQuery, enabled: make.data !== undefined });
  const { origin } = window.location;
  const agent = `sudo cairn agent --server ${origin}`;
  return (
    <>
      <p>On a machine that has the agent:</p>
      <CommandLine line={make.data ? `${agent} --join-token ${make.data.token}` : agent} />
      {LOOPBACK.test(window.location.hostname) ? (
        <p className="muted">
          Only this machine knows that address. On any other one, write the name or address of this server in its place.
        </p>
      ) : null}
      {make.data && script.data !== undefined ? (
        <>
          <p>On any other machine, this line installs the agent first:</p>
          <CommandLine line={joinLine({ origin, script: script.data, joinToken: make.data.token })} />
        </>
      ) : null}
      {make.data || !mayOperate ? null : (
        <button type="button" className="step-action" onClick={() => make.mutate()} disabled={make.isPending}>
          Make a join token
        </button>
      )}
      {make.error ? (
        <p className="bad" role="alert">
          {messageOf(make.error)}
        </p>
      ) : null}
    </>
  );
}
