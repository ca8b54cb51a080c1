/** The lines that make a machine a worker node: one that has nothing of Cairn yet, and one that has the agent. */
import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import { isLoopback } from '../../../src/protocol/config/loopback.ts';
import type { NodeToken } from '../../../src/protocol/identity/identity.ts';
import { sendJson } from '../api/request.ts';
import { CommandLine } from '../parts/command-line.tsx';
import { joinLine } from '../parts/join-line.ts';
import { messageOf } from '../parts/states.tsx';
import { useRole } from '../queries/role.ts';
import { idpQuery, installScriptQuery } from '../queries/server.ts';

/** Long enough to read this page; a worker gets a token of its own when it registers. */
const TOKEN_TTL = '1h';
/** In the place of one that is not made yet. */
const TOKEN = 'TOKEN';

export function ConnectWorker(): ReactNode {
  const { origin } = window.location;
  const isLocal = isLoopback(window.location.hostname);
  const [address, setAddress] = useState(origin);
  const { data: provider } = useQuery(idpQuery);
  const isTokenNeeded = provider?.enabled === true;
  const make = useMutation({
    mutationFn: () => sendJson<NodeToken>('POST', '/api/v1/security/nodeToken', { ttl: TOKEN_TTL }),
  });
  const token = make.data?.token ?? (isTokenNeeded ? TOKEN : undefined);
  // Only a script that comes by https may carry a certificate.
  const isSecure = origin.startsWith('https:');
  const { data: script = '', isPending } = useQuery({ ...installScriptQuery, enabled: isSecure });
  const server = address.trim().replace(/\/+$/, '') || origin;
  return (
    <div className="connect">
      {isLocal ? <AddressField value={address} onChange={setAddress} /> : null}
      {isSecure && isPending ? null : (
        <>
          <p>On a new machine, this line installs the agent and connects it:</p>
          <CommandLine line={joinLine({ origin: server, script, joinToken: token })} />
        </>
      )}
      <p>On a machine that has the agent:</p>
      <CommandLine line={`sudo cairn agent --server ${server}${token === undefined ? '' : ` --join-token ${token}`}`} />
      <JoinToken make={make} isNeeded={isTokenNeeded} />
    </div>
  );
}

/** A browser on the server's own machine does not know by which name others reach it. */
function AddressField({ value, onChange }: { value: string; onChange: (address: string) => void }): ReactNode {
  const id = useId();
  return (
    <div className="connect-address">
      <label htmlFor={id}>Address of this server, as workers reach it</label>
      <input
        id={id}
        type="text"
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
        aria-describedby={`${id}-about`}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
      <p className="muted small" id={`${id}-about`}>
        {URL.canParse(value) && isLoopback(new URL(value).hostname)
          ? `${window.location.hostname} works on this machine only: write the name by which other machines reach the server.`
          : ''}
      </p>
    </div>
  );
}

interface JoinTokenProps {
  readonly make: {
    readonly data: NodeToken | undefined;
    readonly error: Error | null;
    readonly isPending: boolean;
    readonly mutate: () => void;
  };
  /** Whether a worker without one is refused. */
  readonly isNeeded: boolean;
}

function JoinToken({ make, isNeeded }: JoinTokenProps): ReactNode {
  const { mayOperate } = useRole();
  if (make.data) return <p className="muted">The token is in both lines. It is valid for one hour.</p>;
  return (
    <>
      <p className="muted">
        {isNeeded
          ? 'A worker needs a join token to connect.'
          : 'This server needs no token. A worker that joins with one keeps working once you connect an identity provider.'}
      </p>
      {mayOperate ? (
        <button
          type="button"
          className={isNeeded ? 'step-action primary' : 'step-action'}
          onClick={() => make.mutate()}
          disabled={make.isPending}
        >
          Make a join token
        </button>
      ) : null}
      {make.error ? (
        <p className="bad" role="alert">
          {messageOf(make.error)}
        </p>
      ) : null}
    </>
  );
}
