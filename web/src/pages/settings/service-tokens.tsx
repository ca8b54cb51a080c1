/** Service tokens: which programs may call the API, as what, and until when. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { ServiceToken } from '../../../../src/protocol/identity/service-token.ts';
import { idpQuery, serviceTokensQuery } from '../../api/queries.ts';
import { sendJson } from '../../api/request.ts';
import { useRole } from '../../api/role.ts';
import { wordsOf } from '../../parts/format.ts';
import { Answered, Empty, messageOf } from '../../parts/states.tsx';
import { LocalTime } from '../../parts/time.tsx';
import { ServiceTokenForm } from './service-token-form.tsx';

export function ServiceTokens(): ReactNode {
  const { mayChange } = useRole();
  const provider = useQuery(idpQuery);
  const query = useQuery({ ...serviceTokensQuery, enabled: mayChange });
  return (
    <>
      <section className="panel" aria-labelledby="service-tokens">
        <h2 id="service-tokens">Service tokens</h2>
        {mayChange ? (
          <Answered query={query} what="the service tokens">
            {(tokens) =>
              tokens.length === 0 ? (
                <Empty title="No service token yet">
                  <p>A service token lets a program call the API, such as Prometheus or a nightly report.</p>
                </Empty>
              ) : (
                <TokenTable tokens={tokens} />
              )
            }
          </Answered>
        ) : (
          <Empty title="Only an administrator may see the service tokens" />
        )}
      </section>
      <Answered query={provider} what="the settings">
        {({ enabled }) => <ServiceTokenForm isProviderOn={enabled} />}
      </Answered>
    </>
  );
}

function TokenTable({ tokens }: { tokens: readonly ServiceToken[] }): ReactNode {
  return (
    <div className="scroll-x">
      <table>
        <thead>
          <tr>
            <th scope="col" className="left">
              Token
            </th>
            <th scope="col" className="left">
              Role
            </th>
            <th scope="col" className="left">
              Queues
            </th>
            <th scope="col" className="left">
              Created
            </th>
            <th scope="col" className="left">
              Valid until
            </th>
            <th scope="col" className="left">
              Actions
            </th>
          </tr>
        </thead>
        <tbody>
          {tokens.map((token) => (
            <tr key={token.id}>
              <td className="left" title={token.id}>
                {token.name}
              </td>
              <td className="left">{wordsOf(token.role)}</td>
              <td className="left">{token.queues?.join(', ') ?? 'All'}</td>
              <td className="left">
                <LocalTime at={token.createdAt} /> by {token.createdBy}
              </td>
              <td className="left">
                <LocalTime at={token.expiresAt} />
              </td>
              <td className="left">
                <Revoke token={token} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Revoke({ token: { id, name } }: { token: ServiceToken }): ReactNode {
  const client = useQueryClient();
  const revoke = useMutation({
    mutationFn: () => sendJson('DELETE', `/api/v1/security/serviceToken/${encodeURIComponent(id)}`),
    onSettled: () => client.invalidateQueries({ queryKey: serviceTokensQuery.queryKey }),
  });
  const isSure = (): boolean =>
    window.confirm(`Revoke the service token ${name}? Programs that use it are refused within 5 seconds.`);
  return (
    <>
      <span className="row-actions">
        <button
          type="button"
          className="compact"
          disabled={revoke.isPending}
          onClick={() => isSure() && revoke.mutate()}
        >
          Revoke
        </button>
      </span>
      <span role="status" className="bad small">
        {revoke.error ? messageOf(revoke.error) : ''}
      </span>
    </>
  );
}
