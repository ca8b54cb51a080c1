/** Adds a webhook, or changes one. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import { EVENT_TYPES, type EventType } from '../../../../../src/protocol/event.ts';
import { isId } from '../../../../../src/protocol/id.ts';
import { STATUS_EVENTS } from '../../../../../src/protocol/names/job-status.ts';
import {
  requestOf,
  SECRET_BYTES,
  WEBHOOK_FORMATS,
  type Webhook,
  type WebhookMade,
} from '../../../../../src/protocol/webhook.ts';
import { sendJson } from '../../../api/request.ts';
import { DialogEnd, useHold, useOutcome } from '../../../controls/dialog.tsx';
import { Select } from '../../../controls/select.tsx';
import { EVENT_TYPE_NAMES } from '../../../names/event-type-names.ts';
import { SettingWords } from '../../../names/setting-words.tsx';
import { CommandLine } from '../../../parts/command-line.tsx';
import { eventText } from '../../../parts/format.ts';
import { queuesQuery } from '../../../queries/jobs.ts';
import { webhooksQuery } from '../../../queries/server.ts';
import { refusalText, refusedFields } from '../form/refusals.ts';
import { TextField } from '../form/text-field.tsx';
import { filterAgainst } from './webhook-events.ts';

const FORMAT_LABELS = { cairn: 'Event as JSON', slack: 'Slack message' } as const;

type Format = (typeof WEBHOOK_FORMATS)[number];

interface Entered {
  readonly name: string;
  readonly url: string;
  readonly queue: string;
  readonly format: Format;
  readonly types: readonly EventType[];
  readonly kinds: readonly string[];
  /** Whether the receiver gets another secret; the server makes that of a new one. */
  readonly renewsSecret: boolean;
}

/** Without a webhook it adds one. */
export function WebhookForm({ webhook }: { webhook?: Webhook }): ReactNode {
  const [before] = useState(() => enteredOf(webhook));
  const [entered, setEntered] = useState(before);
  const queues = useQuery(queuesQuery);
  const save = useSave(webhook, entered);
  useHold(!save.isSuccess && textOf(entered) !== textOf(before));
  const change = (part: Partial<Entered>): void => {
    // What the server refused is another text by now.
    if (save.isError) save.reset();
    setEntered({ ...entered, ...part });
  };
  const { name, url, queue, format } = entered;
  const taken = useTakenNames(webhook !== undefined || save.isPending || save.isSuccess);
  const wrong = faultsOf(entered, taken);
  const hindrance = hindranceOf(entered, wrong, taken);
  const faults = { ...placedFaults(save.error), ...wrong };
  return (
    <form
      aria-label={webhook ? `Change the webhook ${webhook.id}` : 'Add a webhook'}
      onSubmit={(event) => {
        event.preventDefault();
        if (hindrance === undefined) save.mutate();
      }}
    >
      {save.data ? <Saved webhook={save.data} /> : null}
      {/* What was saved takes its place. */}
      <fieldset className="bare" hidden={save.isSuccess} disabled={save.isSuccess}>
        {webhook ? null : (
          <TextField
            label="Name"
            example="job-events"
            value={name}
            fault={faults.id}
            onChange={(next) => change({ name: next })}
          />
        )}
        <TextField
          label="URL"
          about="The address that receives the events."
          example="https://hooks.example.com/cairn"
          value={url}
          fault={faults.url}
          onChange={(next) => change({ url: next })}
        />
        <TextField
          label="Queue"
          about="Leave empty for events of all queues. Only job events have a queue: with one, no events of nodes or settings are sent."
          choices={queues.data?.map((one) => one.name) ?? []}
          value={queue}
          fault={faults.queue}
          onChange={(next) => change({ queue: next })}
        />
        <FormatChoice format={format} onChange={(next) => change({ format: next })} />
        <EventChoice {...{ entered, faults }} onChange={change} />
        <SecretChoice isNew={!webhook} renews={entered.renewsSecret} onChange={change} />
        <DialogEnd fault={refusalText(save.error, PLACES)}>
          <button
            type="submit"
            className="primary"
            disabled={hindrance !== undefined || save.isPending}
            title={hindrance}
          >
            Save webhook
          </button>
        </DialogEnd>
      </fieldset>
    </form>
  );
}

function enteredOf(webhook: Webhook | undefined): Entered {
  return {
    name: webhook?.id ?? '',
    url: webhook?.url ?? '',
    queue: webhook?.queue ?? '',
    format: webhook?.format ?? 'cairn',
    // A new one tells of what someone has to see to: all events of all jobs are thousands.
    types: EVENT_TYPES.filter((type) => (webhook?.types ?? ['job.event', 'node.lost']).includes(type)),
    kinds: webhook ? (webhook.eventTypes ?? []) : ['Job-Failed'],
    renewsSecret: false,
  };
}

/** What is chosen stays chosen while a queue is entered; what has none is not sent then. */
function sentTypes({ types, queue }: Entered): readonly EventType[] {
  return types.filter((type) => !isWithoutQueue(type, queue));
}

/** Whether a queue is asked for, and events of the type have none. */
function isWithoutQueue(type: EventType, queue: string): boolean {
  return queue !== '' && filterAgainst(type, { queue }) !== undefined;
}

/** To compare by: in which order the choices were made does not count. */
function textOf({ types, kinds, ...rest }: Entered): string {
  return JSON.stringify({ ...rest, types: types.toSorted(), kinds: kinds.toSorted() });
}

/**
 * The server changes a webhook whose name is used again, and its receiver then gets nothing any more. Undefined until they are known.
 * `isOwn`: the form is of one of them, or has just made it.
 */
function useTakenNames(isOwn: boolean): readonly string[] | undefined {
  const { data } = useQuery(webhooksQuery);
  return isOwn ? [] : data?.map(({ id }) => id);
}

function useSave(webhook: Webhook | undefined, entered: Entered) {
  const { name, url, queue, format, kinds } = entered;
  const types = sentTypes(entered);
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (): Promise<WebhookMade> => {
      const secret = entered.renewsSecret ? newSecret() : undefined;
      const saved = await sendJson<WebhookMade>('PUT', `/api/v1/webhook/${encodeURIComponent(name)}`, {
        // With what the form does not have.
        ...(webhook && requestOf(webhook)),
        ...{ url, types, format, secret },
        eventTypes: types.includes('job.event') && kinds.length > 0 ? kinds : undefined,
        queue: queue || undefined,
      });
      return secret === undefined ? saved : { ...saved, secret };
    },
    onSuccess: () => client.invalidateQueries({ queryKey: ['webhooks'] }),
  });
}

function newSecret(): string {
  return `whsec_${btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(SECRET_BYTES))))}`;
}

interface SecretProps {
  readonly isNew: boolean;
  readonly renews: boolean;
  readonly onChange: (part: Partial<Entered>) => void;
}

/** For a secret that was lost, or that others know. */
function SecretChoice({ isNew, renews, onChange }: SecretProps): ReactNode {
  if (isNew) return null;
  return (
    <fieldset className="setting bare">
      <legend>Secret</legend>
      <label className="check">
        <input type="checkbox" checked={renews} onChange={({ target }) => onChange({ renewsSecret: target.checked })} />
        <span>Make a new secret. Until the receiver has it, it cannot verify signatures.</span>
      </label>
    </fieldset>
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
  entered: Entered;
  faults: Placed;
  onChange: (part: Partial<Entered>) => void;
}): ReactNode {
  const { entered, faults, onChange } = props;
  const { types, kinds, queue } = entered;
  return (
    <>
      <Checks
        legend="Events"
        names={EVENT_TYPES}
        chosen={types}
        fault={faults.types}
        labelOf={typeLabel}
        isOff={(type) => isWithoutQueue(type, queue)}
        onChange={(next) => onChange({ types: next })}
      />
      {types.includes('job.event') ? (
        <Checks
          legend="Job events"
          about="Without a choice, every event of a job is sent: a job has dozens."
          // A kind that was set elsewhere stays.
          names={[...new Set([...FIRST_KINDS, ...STATUS_EVENTS, ...kinds])]}
          chosen={kinds}
          fault={faults.eventTypes}
          labelOf={eventText}
          onChange={(next) => onChange({ kinds: next })}
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
  readonly fault: string | undefined;
  readonly labelOf: (name: T) => ReactNode;
  /** Whether another field rules it out for now. */
  readonly isOff?: (name: T) => boolean;
  readonly onChange: (chosen: readonly T[]) => void;
}

function Checks<T extends string>(props: ChecksProps<T>): ReactNode {
  const { legend, about, names, chosen, fault, labelOf, isOff = () => false, onChange } = props;
  const id = useId();
  return (
    <fieldset className="setting bare" aria-describedby={fault === undefined ? undefined : id}>
      <legend>{legend}</legend>
      {about === undefined ? null : <p className="muted small">{about}</p>}
      {/* Above the choices: below them it may be out of sight. */}
      {fault === undefined ? null : (
        <p id={id} className="bad small" role="alert">
          {legend} <SettingWords text={fault} />
        </p>
      )}
      <div className="check-grid">
        {names.map((name) => (
          <label key={name} className="check">
            <input
              type="checkbox"
              aria-invalid={fault !== undefined}
              disabled={isOff(name)}
              checked={chosen.includes(name) && !isOff(name)}
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
  const outcome = useOutcome(secret !== undefined);
  return (
    <>
      <div className="notice" role="status" {...outcome}>
        <p>{id} is saved.</p>
        {secret === undefined ? null : (
          <>
            <p>The receiver verifies signatures with this secret. Copy it now: it is shown only once.</p>
            <CommandLine line={secret} onCopy={outcome.onCopy} />
          </>
        )}
      </div>
      <DialogEnd cancel="Done" />
    </>
  );
}

/** Fields of the server's body that the form shows, and `id`, the name. */
const PLACES = { id: 'Name', url: 'URL', queue: 'Queue', types: 'Events', eventTypes: 'Job events' } as const;

/** What is wrong, in words that follow the name of the field. */
type Placed = { readonly [place in keyof typeof PLACES]?: string | undefined };

const isPlace = (field: string): field is keyof typeof PLACES => Object.hasOwn(PLACES, field);

/** What the server would refuse, as soon as it can be known, and a name that is taken; what is empty is not wrong yet. */
function faultsOf(entered: Entered, taken: readonly string[] | undefined): Placed {
  const { name, url } = entered;
  const ofName =
    name !== '' && !isId(name)
      ? { id: 'has other characters than A-Z, a-z, 0-9 and . _ : @ -' }
      : taken?.includes(name) && { id: `${name} exists already: change that webhook instead` };
  return {
    ...ofName,
    ...(url === '' || isAddress(url) ? {} : { url: 'is not a whole address that begins with https:// or http://' }),
    ...(sentTypes(entered).length > 0 ? {} : { types: 'need at least one choice' }),
  };
}

const isAddress = (text: string): boolean => /^https?:\/\//.test(text) && URL.canParse(text);

/** Why it cannot be saved yet. */
function hindranceOf({ name, url }: Entered, faults: Placed, taken: readonly string[] | undefined): string | undefined {
  if (Object.keys(faults).length > 0) return 'Correct the marked fields first';
  const missing = [name === '' ? 'a name' : '', url === '' ? 'a URL' : ''].filter(Boolean);
  if (missing.length > 0) return `Enter ${missing.join(' and ')} first`;
  return taken === undefined ? 'Wait until the list of webhooks is loaded' : undefined;
}

/** What the server refused of the fields that the form has. */
function placedFaults(error: Error | null): Placed {
  return Object.fromEntries(Object.entries(refusedFields(error)).filter(([field]) => isPlace(field)));
}
