/** Webhooks: who is told of which events, how the deliveries go, and a test. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { Webhook, WebhookTest } from '../../../../src/protocol/webhook.ts';
import { webhookQuery, webhooksQuery } from '../../api/queries.ts';
import { sendJson } from '../../api/request.ts';
import { ConfirmButton } from '../../controls/confirm-button.tsx';
import { DialogButton } from '../../controls/dialog-button.tsx';
import { countText } from '../../parts/format.ts';
import { Answered, Empty, messageOf } from '../../parts/states.tsx';
import { Age } from '../../parts/time.tsx';
import { WebhookForm } from './webhook-form.tsx';

export function Webhooks(): ReactNode {
  const query = useQuery(webhooksQuery);
  const [chosen, setChosen] = useState<string>();
  return (
    <>
      <section className="panel" aria-labelledby="webhooks">
        <div className="panel-head">
          <h2 id="webhooks">Webhooks</h2>
          <DialogButton action="Add a webhook…" title="Add a webhook" isPrimary>
            <WebhookForm />
          </DialogButton>
        </div>
        <Answered query={query} what="the webhooks">
          {(webhooks) =>
            webhooks.length === 0 ? (
              <Empty title="No webhooks yet">
                <p>A webhook sends events, such as failed jobs and lost nodes, to an address or to Slack.</p>
              </Empty>
            ) : (
              <WebhookTable webhooks={webhooks} chosen={chosen} onChoose={setChosen} />
            )
          }
        </Answered>
      </section>
      {chosen === undefined ? null : <Deliveries key={chosen} id={chosen} />}
    </>
  );
}

function WebhookTable(props: {
  webhooks: readonly Webhook[];
  chosen: string | undefined;
  onChoose: (id: string | undefined) => void;
}): ReactNode {
  const { webhooks, chosen, onChoose } = props;
  return (
    <div className="scroll">
      <table className="text">
        <thead>
          <tr>
            <th scope="col">Webhook</th>
            <th scope="col">Target</th>
            <th scope="col">Events</th>
            <th scope="col">State</th>
            <th scope="col" className="number">
              Waiting
            </th>
            <th scope="col" className="number">
              Set aside
            </th>
            <th scope="col">Actions</th>
          </tr>
        </thead>
        <tbody>
          {webhooks.map((webhook) => (
            <tr key={webhook.id}>
              <td>{webhook.id}</td>
              <td>{new URL(webhook.url).host}</td>
              <td>{[...webhook.types, filterText(webhook)].filter(Boolean).join(', ')}</td>
              <td className={webhook.state === 'failing' ? 'bad' : ''}>
                {webhook.state === 'failing' ? 'Failing' : 'OK'}
              </td>
              <td className="number" data-label="Waiting">
                {countText(webhook.waiting)}
              </td>
              <td className="number" data-label="Set aside">
                {countText(webhook.setAside)}
              </td>
              <td>
                <Actions
                  webhook={webhook}
                  isChosen={webhook.id === chosen}
                  onChoose={() => onChoose(webhook.id === chosen ? undefined : webhook.id)}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function filterText({ queue, job, node }: Webhook): string {
  return [queue && `queue ${queue}`, job && `job ${job}`, node && `node ${node}`].filter(Boolean).join(', ');
}

function Actions(props: { webhook: Webhook; isChosen: boolean; onChoose: () => void }): ReactNode {
  const { webhook, isChosen, onChoose } = props;
  const client = useQueryClient();
  const path = `/api/v1/webhook/${encodeURIComponent(webhook.id)}`;
  const onSettled = (): Promise<void> => client.invalidateQueries({ queryKey: ['webhooks'] });
  const test = useMutation({ mutationFn: () => sendJson<WebhookTest>('POST', `${path}/test`, {}), onSettled });
  const replay = useMutation({ mutationFn: () => sendJson<Webhook>('POST', `${path}/replay`, {}), onSettled });
  const remove = useMutation({ mutationFn: () => sendJson('DELETE', path), onSettled });
  const error = test.error ?? replay.error ?? remove.error;
  const remaining = webhook.waiting + webhook.setAside;
  return (
    <>
      <span className="row-actions">
        <button type="button" className="compact" aria-expanded={isChosen} onClick={onChoose}>
          Deliveries
        </button>
        <button type="button" className="compact" disabled={test.isPending} onClick={() => test.mutate()}>
          Test
        </button>
        <button
          type="button"
          className="compact"
          disabled={remaining === 0 || replay.isPending}
          onClick={() => replay.mutate()}
        >
          Replay
        </button>
        <DialogButton action="Change…" title={`Change the webhook ${webhook.id}`} isCompact>
          <WebhookForm webhook={webhook} />
        </DialogButton>
        <ConfirmButton
          action="Remove"
          question={`Remove the webhook ${webhook.id}?`}
          consequence={
            remaining === 0
              ? 'Its target receives no more events.'
              : `Its target receives no more events. ${countText(remaining)} undelivered ${remaining === 1 ? 'event is' : 'events are'} discarded.`
          }
          isDisabled={remove.isPending}
          onConfirm={() => remove.mutate()}
        />
      </span>
      <span role="status" className={test.data?.delivered === false || error ? 'bad small' : 'small'}>
        {error ? messageOf(error) : test.data ? testText(test.data) : ''}
      </span>
    </>
  );
}

function testText({ delivered, status, ms, error }: WebhookTest): string {
  return delivered ? `Delivered: ${status} in ${ms} ms.` : `Not delivered: ${error}.`;
}

function Deliveries({ id }: { id: string }): ReactNode {
  const query = useQuery(webhookQuery(id));
  return (
    <section className="panel" aria-labelledby="deliveries">
      <h2 id="deliveries">Deliveries of {id}</h2>
      <Answered query={query} what="the deliveries" missing={<Empty title="This webhook has been removed" />}>
        {({ deliveries, lost }) => (
          <>
            {lost > 0 ? (
              <p className="bad">
                {countText(lost)} {lost === 1 ? 'event was' : 'events were'} discarded because too many waited.
              </p>
            ) : null}
            {deliveries.length === 0 ? <Empty title="No deliveries since the server started" /> : null}
            <ol className="rows">
              {deliveries.map((one) => (
                <li key={`${one.id} ${one.attempt} ${one.time}`}>
                  <span title={one.id}>
                    {one.type} <span className="muted">{one.attempt > 1 ? `attempt ${one.attempt}` : ''}</span>
                  </span>
                  <span className={one.error === null ? 'shrinks good' : 'shrinks bad'} title={one.error ?? undefined}>
                    {one.error ?? `Delivered, ${one.status}`}
                  </span>
                  <span className="number muted">{countText(one.ms)} ms</span>
                  <Age of={one.time} />
                </li>
              ))}
            </ol>
          </>
        )}
      </Answered>
    </section>
  );
}
