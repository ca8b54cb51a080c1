/** Webhooks: who is told of which events, how the deliveries go, and a test. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Fragment, type ReactNode, useEffect, useRef, useState } from 'react';
import type { Delivery, Webhook } from '../../../../../src/protocol/webhook.ts';
import { DialogButton } from '../../../controls/dialog-button.tsx';
import { TEST_TYPE } from '../../../names/event-type-names.ts';
import { LongId } from '../../../names/long-id.tsx';
import { NodeLink } from '../../../names/node-link.tsx';
import { SettingWords } from '../../../names/setting-words.tsx';
import { useTextNow } from '../../../parts/clock.ts';
import { capitalized, countText, unbroken } from '../../../parts/format.ts';
import { Answered, Empty, messageOf } from '../../../parts/states.tsx';
import { Age, localText, Moment } from '../../../parts/time.tsx';
import { webhookQuery, webhooksQuery } from '../../../queries/server.ts';
import { SettingsHead } from '../form/settings-head.tsx';
import { useAimedRow } from './aimed-row.ts';
import { useCalls, WebhookActions, type WebhookCalls } from './webhook-actions.tsx';
import { happeningText, sentText, unsentText } from './webhook-events.ts';
import { WebhookForm } from './webhook-form.tsx';
import { pathHint } from './webhook-target.ts';

export function Webhooks(): ReactNode {
  const query = useQuery(webhooksQuery);
  const [chosen, setChosen] = useState<string>();
  return (
    <>
      <SettingsHead tab="webhooks">
        <DialogButton action="Add a webhook…" title="Add a webhook" isPrimary>
          <WebhookForm />
        </DialogButton>
      </SettingsHead>
      <Answered query={query} what="the webhooks">
        {(webhooks) =>
          webhooks.length === 0 ? (
            <Empty title="No webhooks yet">
              <p>With one, your team hears of failed jobs and lost nodes where it works.</p>
            </Empty>
          ) : (
            <WebhookTable webhooks={webhooks} chosen={chosen} onChoose={setChosen} />
          )
        }
      </Answered>
      {/* Those of a webhook that was removed go with it. */}
      {query.data?.some(({ id }) => id === chosen) ? (
        <Deliveries key={chosen} id={chosen as string} onHide={() => setChosen(undefined)} />
      ) : null}
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
    <div className="panel panel-table">
      <table className="text records webhook-table">
        <thead>
          <tr>
            <th scope="col">Webhook</th>
            <th scope="col">Events</th>
            <th scope="col">State</th>
            <th scope="col" className="number">
              Waiting
            </th>
            <th scope="col" className="number" title={SET_ASIDE}>
              Set aside
            </th>
            <th scope="col">Actions</th>
          </tr>
        </thead>
        <tbody>
          {webhooks.map((webhook) => (
            <WebhookRow
              key={webhook.id}
              webhook={webhook}
              isChosen={webhook.id === chosen}
              onChoose={() => onChoose(webhook.id === chosen ? undefined : webhook.id)}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function WebhookRow(props: { webhook: Webhook; isChosen: boolean; onChoose: () => void }): ReactNode {
  const { webhook, isChosen, onChoose } = props;
  const calls = useCalls(webhook);
  const unsent = unsentText(webhook);
  const row = useAimedRow(webhook.id);
  return (
    <tr {...row}>
      <td className="whole record-title">
        <span className="webhook-name">{webhook.id}</span>{' '}
        <span className="webhook-target">
          <BrokenAtDots name={new URL(webhook.url).host} />
          <wbr />
          <span className="unbroken">{pathHint(webhook.url)}</span>
        </span>
      </td>
      <td className="record-detail">
        {sentText(webhook)}
        {unsent === '' ? null : (
          <>
            {' '}
            <span className="unsent warn small">{unsent}</span>
          </>
        )}
      </td>
      <td className="record-meta record-state">
        <State webhook={webhook} /> <Last delivery={webhook.lastDelivery} />
        {webhook.nextAttempt === null ? null : (
          <>
            {' '}
            <NextAttempt at={webhook.nextAttempt} />
          </>
        )}
        {webhook.setAside > 0 && webhook.state === 'ok' ? (
          <>
            {' '}
            <span className="last-delivery muted">Replay sends what is set aside</span>
          </>
        ) : null}
        <Told calls={calls} />
      </td>
      <Count label="Waiting" count={webhook.waiting} />
      <Count label="Set aside" count={webhook.setAside} about={SET_ASIDE} />
      <td className="record-actions">
        <WebhookActions {...{ webhook, calls, isChosen, onChoose }} />
      </td>
    </tr>
  );
}

/** Where one line has no room for it, it goes on behind a dot. */
function BrokenAtDots({ name }: { name: string }): ReactNode {
  return name.split(/(?<=\.)/).map((part, i) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: parts have no names, and do not move
    <Fragment key={i}>
      {i === 0 ? null : <wbr />}
      {part}
    </Fragment>
  ));
}

/** A pill for what is out of the ordinary only. */
function State({ webhook: { state, lastDelivery } }: { webhook: Webhook }): ReactNode {
  if (state === 'paused') return <span className="badge">Paused</span>;
  if (state === 'failing') return <span className="badge badge-bad">Failing</span>;
  // What stands beside it says all.
  return lastDelivery === null ? null : <span>OK</span>;
}

/** How the latest attempt went: without an event for weeks, whether the address is right is seen only here. */
function Last({ delivery }: { delivery: Webhook['lastDelivery'] }): ReactNode {
  if (delivery === null) return <span className="last-delivery muted">Not tried there since the server started</span>;
  const { type, time, error } = delivery;
  const [delivered, failed] = type === TEST_TYPE ? ['Test delivered', 'Test failed'] : ['Delivered', 'Failed'];
  return (
    <span className={error === null ? 'last-delivery muted' : 'last-delivery bad'}>
      {error === null ? delivered : failed} <Age of={time} />
      {error === null ? '' : <SettingWords text={`: ${error}`} />}
    </span>
  );
}

const SECONDS_SHOWN = 120;

/** Who has just put the receiver right waits for it by the second; what is further off is a time of the day. */
function NextAttempt({ at }: { at: string }): ReactNode {
  const soon = useTextNow((nowMs) => {
    const seconds = Math.ceil((Date.parse(at) - nowMs) / 1_000);
    if (Math.abs(seconds) > SECONDS_SHOWN) return '';
    // How one went that is due is told with the next look.
    return seconds <= 0 ? 'now' : unbroken(`in ${seconds} s`);
  });
  return (
    <span className="last-delivery muted">
      Next attempt{' '}
      {soon === '' ? (
        <Moment at={at} />
      ) : (
        <time className="number" dateTime={at} title={localText(at)}>
          {soon}
        </time>
      )}
    </span>
  );
}

/** What a call came to. How a test went stands above it, and is only read aloud: an age that goes on would be read, too. */
function Told({ calls: { test, error } }: { calls: WebhookCalls }): ReactNode {
  const { data } = test;
  const tested = data ? (data.delivered ? 'Test delivered' : `Test failed: ${data.error}`) : '';
  return (
    <span role="status" className={error ? 'bad small' : 'hidden'}>
      {error ? messageOf(error) : tested}
    </span>
  );
}

const SET_ASIDE =
  'Events that were given up: they waited for longer than “Set events aside after” allows, or too many waited. Replay sends them.';

/** In a stack a count of 0 is left out. `about`: why one that is not 0 asks for something to be done. */
function Count({ label, count, about }: { label: string; count: number; about?: string }): ReactNode {
  const tone = count === 0 ? ' record-zero' : about === undefined ? '' : ' warn';
  return (
    <td className={`number record-meta${tone}`} data-label={label} title={about}>
      {countText(count)}
    </td>
  );
}

/** What happened, and to what. */
function Subject({ delivery }: { delivery: Delivery }): ReactNode {
  const { job, node } = delivery;
  const what = happeningText(delivery);
  if (job === null && node === null) return what;
  return (
    <>
      <span>{what}</span>{' '}
      {job === null ? (
        <NodeLink oid={node ?? ''} />
      ) : (
        <Link to="/job" search={{ id: job }} title={job}>
          <LongId id={job} />
        </Link>
      )}
    </>
  );
}

function Deliveries({ id, onHide }: { id: string; onHide: () => void }): ReactNode {
  const query = useQuery(webhookQuery(id));
  const panel = useRef<HTMLElement>(null);
  const { isPending } = query;
  // Below many webhooks it opens out of sight.
  useEffect(() => {
    if (!isPending) panel.current?.scrollIntoView({ block: 'nearest' });
  }, [isPending]);
  return (
    <section className="panel deliveries-panel" aria-labelledby="deliveries" ref={panel}>
      <div className="panel-head">
        <h3 id="deliveries">Deliveries of {id}</h3>
        <button type="button" className="compact" onClick={onHide}>
          Hide
        </button>
      </div>
      <Answered query={query} what="the deliveries" missing={<Empty title="This webhook has been removed" />}>
        {({ deliveries, lost }) => (
          <>
            {lost > 0 ? (
              <p className="bad">
                {countText(lost)} {lost === 1 ? 'event was' : 'events were'} discarded because too many waited.
              </p>
            ) : null}
            {deliveries.length === 0 ? <Empty title="No deliveries since the server started" /> : null}
            <ol className="rows deliveries">
              {deliveries.map((one) => (
                <li key={`${one.id} ${one.attempt} ${one.time}`}>
                  <span title={one.id} className="delivery">
                    <Subject delivery={one} />
                  </span>
                  <span className={one.error === null ? 'good' : 'delivery-fault bad'}>
                    {one.error === null ? `Delivered, ${one.status}` : <SettingWords text={capitalized(one.error)} />}
                  </span>
                  {one.attempt > 1 ? <span className="attempt muted">attempt {one.attempt}</span> : null}
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
