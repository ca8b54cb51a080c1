/** Service tokens: which programs may call the API, as what, and until when. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { ServiceToken } from '../../../../src/protocol/identity/service-token.ts';
import { idpQuery, serviceTokensQuery } from '../../api/queries.ts';
import { sendJson } from '../../api/request.ts';
import { useRole } from '../../api/role.ts';
import { ConfirmButton } from '../../controls/confirm-button.tsx';
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
                <Empty title="No service tokens yet">
                  <p>A service token lets a program call the API, such as Prometheus or a nightly report.</p>
                </Empty>
              ) : (
                <TokenTable tokens={tokens} />
              )
            }
          </Answered>
        ) : (
          <Empty title="Only administrators can see service tokens" />
        )}
        {provider.data?.enabled === false ? (
          <p className="muted" role="note">
            Service tokens can be made only while the identity provider is on. While it is off, programs need no token.
          </p>
        ) : null}
      </section>
      {mayChange ? (
        <Answered query={provider} what="the settings">
          {({ enabled }) => (enabled ? <ServiceTokenForm /> : null)}
        </Answered>
      ) : null}
    </>
  );
}

function TokenTable({ tokens }: { tokens: readonly ServiceToken[] }): ReactNode {
  return (
    <div className="scroll">
      <table className="text">
        <thead>
          <tr>
            <th scope="col">Token</th>
            <th scope="col">Role</th>
            <th scope="col">Queues</th>
            <th scope="col">Created</th>
            <th scope="col">Valid until</th>
            <th scope="col">Actions</th>
          </tr>
        </thead>
        <tbody>
          {tokens.map((token) => (
            <tr key={token.id}>
              <td title={token.id}>{token.name}</td>
              <td>{wordsOf(token.role)}</td>
              <td>{token.queues?.join(', ') ?? 'All'}</td>
              <td data-label="Created">
                <LocalTime at={token.createdAt} /> by {token.createdBy}
              </td>
              <td data-label="Valid until">
                <LocalTime at={token.expiresAt} />
              </td>
              <td>
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
  return (
    <>
      <span className="row-actions">
        <ConfirmButton
          action="Revoke"
          question={`Revoke the service token ${name}?`}
          consequence="The server refuses programs that use it within 5 seconds."
          isDisabled={revoke.isPending}
          onConfirm={() => revoke.mutate()}
        />
      </span>
      <span role="status" className="bad small">
        {revoke.error ? messageOf(revoke.error) : ''}
      </span>
    </>
  );
}
