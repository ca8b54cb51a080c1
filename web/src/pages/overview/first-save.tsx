/** While the server knows no job: the three commands from nothing to a job that is saved. */
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { NodeToken } from '../../../../src/protocol/identity/identity.ts';
import { anyJobQuery } from '../../api/queries.ts';
import { sendJson } from '../../api/request.ts';
import { CommandLine } from '../../parts/command-line.tsx';
import { messageOf } from '../../parts/states.tsx';

const JOB = 'first';
/** Long enough to read this page; a worker gets a token of its own when it registers. */
const TOKEN_TTL = '1h';

export function FirstSave(): ReactNode {
  const { data: hasJobs } = useQuery(anyJobQuery);
  const make = useMutation({
    mutationFn: () => sendJson<NodeToken>('POST', '/api/v1/security/nodeToken', { ttl: TOKEN_TTL }),
  });
  if (hasJobs !== false) return null;
  const agent = `sudo cairn agent --server ${location.origin}`;
  return (
    <section className="notice" aria-labelledby="first-save">
      <h2 id="first-save">Your first saved job</h2>
      <ol>
        <li>
          Connect a worker: on its machine, start the agent.
          {make.data ? null : (
            <p>
              <button type="button" onClick={() => make.mutate()} disabled={make.isPending}>
                Make a join token for the command
              </button>
            </p>
          )}
          {make.error ? (
            <p className="bad" role="alert">
              {messageOf(make.error)}
            </p>
          ) : null}
          <CommandLine line={make.data ? `${agent} --join-token ${make.data.token}` : agent} />
        </li>
        <li>
          Run a job there, in a second terminal.
          <CommandLine line={`sudo cairn run --job ${JOB} -- bash -c 'for i in {1..600}; do echo $i; sleep 1; done'`} />
        </li>
        <li>
          Save it, and see the checkpoint on{' '}
          <Link to="/job" search={{ id: JOB }}>
            its page
          </Link>
          .
          <CommandLine line={`sudo cairn job checkpoint ${JOB}`} />
        </li>
      </ol>
    </section>
  );
}
