/** What can be done with a webhook: its test is a button, all else a menu. */
import { Menu } from '@base-ui/react/menu';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { requestOf, type Webhook, type WebhookTest } from '../../../../../src/protocol/webhook.ts';
import { sendJson } from '../../../api/request.ts';
import { ConfirmDialog } from '../../../controls/confirm-button.tsx';
import { Dialog } from '../../../controls/dialog.tsx';
import { countText } from '../../../parts/format.ts';
import { WebhookForm } from './webhook-form.tsx';

interface WebhookActionsProps {
  readonly calls: WebhookCalls;
  readonly webhook: Webhook;
  /** Whether its deliveries are shown. */
  readonly isChosen: boolean;
  /** Shows or hides them. */
  readonly onChoose: () => void;
}

export function WebhookActions({ webhook, calls, isChosen, onChoose }: WebhookActionsProps): ReactNode {
  const [open, setOpen] = useState<'change' | 'removal'>();
  const { test, replay, pause, remove } = calls;
  const remaining = webhook.waiting + webhook.setAside;
  return (
    <>
      <span className="row-actions">
        <button type="button" className="compact" disabled={test.isPending} onClick={() => test.mutate()}>
          Test
        </button>
        <Menu.Root>
          <Menu.Trigger className="compact" aria-label={`More for ${webhook.id}`}>
            More
          </Menu.Trigger>
          <Menu.Portal>
            <Menu.Positioner className="positioner" sideOffset={6} align="end">
              <Menu.Popup className="popup menu">
                <Menu.Item className="option" onClick={onChoose}>
                  {isChosen ? 'Hide deliveries' : 'Deliveries'}
                </Menu.Item>
                <Menu.Item
                  className="option"
                  disabled={remaining === 0 || webhook.paused || replay.isPending}
                  onClick={() => replay.mutate()}
                >
                  {webhook.paused ? 'Replay (resume it first)' : remaining === 0 ? 'Replay (nothing waits)' : 'Replay'}
                </Menu.Item>
                <Menu.Item className="option" disabled={pause.isPending} onClick={() => pause.mutate()}>
                  {webhook.paused ? 'Resume' : 'Pause'}
                </Menu.Item>
                <Menu.Item className="option" onClick={() => setOpen('change')}>
                  Change…
                </Menu.Item>
                <Menu.Separator className="menu-line" />
                <Menu.Item className="option" disabled={remove.isPending} onClick={() => setOpen('removal')}>
                  Remove…
                </Menu.Item>
              </Menu.Popup>
            </Menu.Positioner>
          </Menu.Portal>
        </Menu.Root>
      </span>
      {open === 'change' ? (
        <Dialog title={`Change the webhook ${webhook.id}`} onClose={() => setOpen(undefined)}>
          <WebhookForm webhook={webhook} />
        </Dialog>
      ) : null}
      {open === 'removal' ? (
        <ConfirmDialog
          action="Remove"
          question={`Remove the webhook ${webhook.id}?`}
          consequence={consequenceOf(remaining)}
          onConfirm={() => remove.mutate()}
          onClose={() => setOpen(undefined)}
        />
      ) : null}
    </>
  );
}

export type WebhookCalls = ReturnType<typeof useCalls>;

/** What is asked of the server; how it went stands beside the state. */
export function useCalls(webhook: Webhook) {
  const client = useQueryClient();
  const path = `/api/v1/webhook/${encodeURIComponent(webhook.id)}`;
  const onSettled = (): Promise<void> => client.invalidateQueries({ queryKey: ['webhooks'] });
  const test = useMutation({ mutationFn: () => sendJson<WebhookTest>('POST', `${path}/test`, {}), onSettled });
  const replay = useMutation({ mutationFn: () => sendJson<Webhook>('POST', `${path}/replay`, {}), onSettled });
  const pause = useMutation({
    mutationFn: () => sendJson('PUT', path, { ...requestOf(webhook), paused: !webhook.paused }),
    onSettled,
  });
  const remove = useMutation({
    mutationFn: () => sendJson('DELETE', path),
    // Its deliveries are not asked for again: there are none any more.
    onSettled: () => client.invalidateQueries({ queryKey: ['webhooks'], exact: true }),
  });
  return { test, replay, pause, remove, error: test.error ?? replay.error ?? pause.error ?? remove.error };
}

function consequenceOf(remaining: number): string {
  if (remaining === 0) return 'Its target receives no more events.';
  const events = `${countText(remaining)} undelivered ${remaining === 1 ? 'event is' : 'events are'} discarded`;
  return `Its target receives no more events. ${events}.`;
}
