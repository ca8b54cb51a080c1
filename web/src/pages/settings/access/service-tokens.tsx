/** Tokens: which programs may call the API, as what, and until when; and what workers join with. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ServiceToken } from '../../../../../src/protocol/identity/service-token.ts';
import { sendJson } from '../../../api/request.ts';
import { ConfirmButton } from '../../../controls/confirm-button.tsx';
import { DialogButton } from '../../../controls/dialog-button.tsx';
import { Person } from '../../../names/person.tsx';
import { wordsOf } from '../../../parts/format.ts';
import { useSettled } from '../../../parts/settled.ts';
import { Answered, Empty, isAsking, Loading, messageOf, OnlyFor } from '../../../parts/states.tsx';
import { LocalTime, zoneText } from '../../../parts/time.tsx';
import { useRole } from '../../../queries/role.ts';
import { idpQuery, serviceTokensQuery } from '../../../queries/server.ts';
import { RecordsZone } from '../records/record-table.tsx';
import { useAimedRow } from './aimed-row.ts';
import { NodeTokens } from './node-tokens.tsx';
import { ServiceTokenForm } from './service-token-form.tsx';

export function Tokens(): ReactNode {
  const { mayChange } = useRole();
  const idp = useQuery(idpQuery);
  const tokens = useQuery({ ...serviceTokensQuery, enabled: mayChange });
  const { data: provider } = idp;
  // What stands below either would be pushed down.
  const isSettled = useSettled(isAsking(idp) || (mayChange && isAsking(tokens)));
  if (!isSettled) return <Loading what="the tokens" />;
  return (
    <>
      {provider?.enabled === false ? (
        <p className="notice notice-warn" role="note">
          The identity provider is off: workers and programs need no token. Workers that join with one now keep working
          after you turn it on.{' '}
          <Link to="/settings" search={{ tab: 'identity' }}>
            Turn the identity provider on
          </Link>
        </p>
      ) : null}
      {mayChange ? <ServiceTokens isOn={provider?.enabled === true} /> : null}
      <NodeTokens />
      {mayChange ? null : <OnlyFor what="service tokens" />}
    </>
  );
}

/** `isOn`: the identity provider is; the server makes no service token without it. */
function ServiceTokens({ isOn }: { isOn: boolean }): ReactNode {
  const query = useQuery(serviceTokensQuery);
  return (
    <section className="panel" aria-labelledby="service-tokens">
      <div className="panel-head">
        <h3 id="service-tokens">Service tokens</h3>
        {isOn ? (
          <DialogButton action="Make a service token…" title="Make a service token" isPrimary>
            <ServiceTokenForm />
          </DialogButton>
        ) : (
          <span className="muted small">Needs the identity provider</span>
        )}
      </div>
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
    </section>
  );
}

function TokenTable({ tokens }: { tokens: readonly ServiceToken[] }): ReactNode {
  const zone = zoneText();
  return (
    <div className="scroll">
      <RecordsZone />
      <table className="text records token-table">
        <thead>
          <tr>
            <th scope="col">Token</th>
            <th scope="col">Role</th>
            <th scope="col">Queues</th>
            <th scope="col">Created, {zone}</th>
            <th scope="col">Valid until, {zone}</th>
            <th scope="col">
              <span className="hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {tokens.map((token) => (
            <TokenRow key={token.id} token={token} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function TokenRow({ token }: { token: ServiceToken }): ReactNode {
  const row = useAimedRow(token.id);
  const zone = zoneText();
  return (
    <tr {...row}>
      <td className="record-title" title={token.id}>
        {token.name}
      </td>
      <td className="record-meta">{wordsOf(token.role)}</td>
      <td className="record-meta" data-label="Queues">
        {token.queues?.join(', ') ?? 'all'}
      </td>
      <td className="record-meta" data-label="Created">
        <LocalTime at={token.createdAt} zoneKnown={zone} />{' '}
        <span className="record-by">
          by <Person who={token.createdBy} />
        </span>
      </td>
      <td className="record-meta" data-label="Valid until">
        <LocalTime at={token.expiresAt} zoneKnown={zone} />
      </td>
      <td className="record-actions">
        <Revoke token={token} />
      </td>
    </tr>
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
          consequence="Programs that use it are refused, at the latest 5 seconds from now."
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
