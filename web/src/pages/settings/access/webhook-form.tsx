/** Adds a webhook, or changes one. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import { EVENT_TYPES, type EventType } from '../../../../../src/protocol/event.ts';
import { isId } from '../../../../../src/protocol/id.ts';
import { STATUS_EVENTS } from '../../../../../src/protocol/names/job-status.ts';
import { requestOf, WEBHOOK_FORMATS, type Webhook, type WebhookMade } from '../../../../../src/protocol/webhook.ts';
import { ApiError, sendJson } from '../../../api/request.ts';
import { DialogEnd } from '../../../controls/dialog.tsx';
import { Select } from '../../../controls/select.tsx';
import { EVENT_TYPE_NAMES } from '../../../names/event-type-names.ts';
import { CommandLine } from '../../../parts/command-line.tsx';
import { eventText } from '../../../parts/format.ts';
import { messageOf } from '../../../parts/states.tsx';
import { queuesQuery } from '../../../queries/jobs.ts';
import { TextField } from '../form/text-field.tsx';

const FORMAT_LABELS = { cairn: 'Event as JSON', slack: 'Slack message' } as const;

type Format = (typeof WEBHOOK_FORMATS)[number];

/** Without a webhook it adds one. */
export function WebhookForm({ webhook }: { webhook?: Webhook }): ReactNode {
  const [name, setName] = useState(webhook?.id ?? '');
  const [url, setUrl] = useState(webhook?.url ?? '');
  const [queue, setQueue] = useState(webhook?.queue ?? '');
  const [types, setTypes] = useState<readonly EventType[]>(() =>
    EVENT_TYPES.filter((type) => (webhook?.types ?? ['job.event']).includes(type)),
  );
  // A new one tells of failures: all events of all jobs are thousands.
  const [kinds, setKinds] = useState<readonly string[]>(webhook ? (webhook.eventTypes ?? []) : ['Job-Failed']);
  const [format, setFormat] = useState<Format>(webhook?.format ?? 'cairn');
  const queues = useQuery(queuesQuery);
  const client = useQueryClient();
  const save = useMutation({
    mutationFn: () =>
      sendJson<WebhookMade>('PUT', `/api/v1/webhook/${encodeURIComponent(name)}`, {
        // With what the form does not have.
        ...(webhook && requestOf(webhook)),
        ...{ url, types, format },
        eventTypes: types.includes('job.event') && kinds.length > 0 ? kinds : undefined,
        queue: queue || undefined,
      }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['webhooks'] }),
  });
  const fault = faultOf(name, url, types);
  const isReady = name !== '' && url !== '' && fault === undefined;
  return (
    <form
      aria-label={webhook ? `Change the webhook ${webhook.id}` : 'Add a webhook'}
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) save.mutate();
      }}
    >
      {save.data ? <Saved webhook={save.data} /> : null}
      {/* What was saved takes its place. */}
      <fieldset className="bare" hidden={save.isSuccess} disabled={save.isSuccess}>
        {webhook ? null : <TextField label="Name" example="job-events" value={name} onChange={setName} />}
        <TextField
          label="URL"
          about="The address that receives the events."
          example="https://hooks.example.com/cairn"
          value={url}
          onChange={setUrl}
        />
        <TextField
          label="Queue"
          about="Leave empty for events of all queues."
          choices={queues.data?.map((one) => one.name) ?? []}
          value={queue}
          onChange={setQueue}
        />
        <FormatChoice format={format} onChange={setFormat} />
        <EventChoice {...{ types, kinds }} onTypes={setTypes} onKinds={setKinds} />
        {fault || save.error ? (
          <p className="bad" role="alert">
            {fault ?? reasonOf(save.error)}
          </p>
        ) : null}
        <DialogEnd>
          <button type="submit" className="primary" disabled={!isReady || save.isPending}>
            Save webhook
          </button>
        </DialogEnd>
      </fieldset>
    </form>
  );
}

function FormatChoice({ format, onChange }: { format: Format; onChange: (format: Format) => void }): ReactNode {
  const id = useId();
  return (
    <div className="setting">
      <div className="setting-about">
        <label htmlFor={id}>Format</label>
      </div>
      <div className="setting-value">
        <Select
          id={id}
          label="Format"
          options={WEBHOOK_FORMATS.map((one) => ({ value: one, label: FORMAT_LABELS[one] }))}
          value={format}
          onChange={(next) => onChange(next as Format)}
        />
      </div>
    </div>
  );
}

/** What people ask for most; the others follow in the order of a job's life. */
const FIRST_KINDS = ['Job-Failed', 'Job-Stopped', 'Job-CheckpointFailed', 'Job-RestoreFailed', 'Job-Succeeded'];

/** Which events; of job events also which of them. */
function EventChoice(props: {
  types: readonly EventType[];
  kinds: readonly string[];
  onTypes: (types: readonly EventType[]) => void;
  onKinds: (kinds: readonly string[]) => void;
}): ReactNode {
  const { types, kinds, onTypes, onKinds } = props;
  return (
    <>
      <Checks legend="Events" names={EVENT_TYPES} chosen={types} labelOf={typeLabel} onChange={onTypes} />
      {types.includes('job.event') ? (
        <Checks
          legend="Job events"
          about="Without a choice, every event of a job is sent: a job has dozens."
          // A kind that was set elsewhere stays.
          names={[...new Set([...FIRST_KINDS, ...STATUS_EVENTS, ...kinds])]}
          chosen={kinds}
          labelOf={eventText}
          onChange={onKinds}
        />
      ) : null}
    </>
  );
}

function typeLabel(type: EventType): ReactNode {
  return (
    <>
      {EVENT_TYPE_NAMES[type]} <code className="field-path">{type}</code>
    </>
  );
}

interface ChecksProps<T extends string> {
  readonly legend: string;
  /** What a choice means. */
  readonly about?: string;
  readonly names: readonly T[];
  readonly chosen: readonly T[];
  readonly labelOf: (name: T) => ReactNode;
  readonly onChange: (chosen: readonly T[]) => void;
}

function Checks<T extends string>(props: ChecksProps<T>): ReactNode {
  const { legend, about, names, chosen, labelOf, onChange } = props;
  return (
    <fieldset className="setting bare">
      <legend>{legend}</legend>
      {about === undefined ? null : <p className="muted small">{about}</p>}
      <div className="check-grid">
        {names.map((name) => (
          <label key={name} className="check">
            <input
              type="checkbox"
              checked={chosen.includes(name)}
              onChange={(event) =>
                onChange(event.target.checked ? [...chosen, name] : chosen.filter((one) => one !== name))
              }
            />
            <span>{labelOf(name)}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

function Saved({ webhook: { id, secret } }: { webhook: WebhookMade }): ReactNode {
  return (
    <div className="notice" role="status">
      <p>{id} is saved.</p>
      {secret === undefined ? null : (
        <>
          <p>The receiver verifies signatures with this secret. Copy it now: it is shown only once.</p>
          <CommandLine line={secret} />
        </>
      )}
      <DialogEnd cancel="Done" />
    </div>
  );
}

/** What keeps the webhook from being saved, as soon as it can be known. */
function faultOf(name: string, url: string, types: readonly EventType[]): string | undefined {
  if (name !== '' && !isId(name)) return 'Name: use only A-Z, a-z, 0-9 and . _ : @ -';
  if (url !== '' && !/^https?:\/\//.test(url)) return 'URL: enter a whole address that begins with https:// or http://';
  if (url !== '' && !URL.canParse(url)) return 'URL: this is not an address';
  return types.length === 0 ? 'Events: choose at least one' : undefined;
}

/** A refused body names its fields. */
function reasonOf(error: Error | null): string {
  if (!(error instanceof ApiError) || Object.keys(error.fields).length === 0) return messageOf(error);
  return Object.entries(error.fields)
    .map(([field, reason]) => `${field} ${reason}`)
    .join('; ');
}
