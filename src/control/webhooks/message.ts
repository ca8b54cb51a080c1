/** What a receiver gets: the event, and the headers by which it knows that the event is ours (standardwebhooks.com). Pure. */
import { createHmac } from 'node:crypto';
import { secretBytes } from '../../protocol/webhook.ts';

export interface WebhookEvent {
  readonly id: string;
  readonly type: string;
  readonly timeMs: number;
  /** The event's own JSON object. */
  readonly json: string;
}

/** Characters of a Slack message; Slack cuts longer ones at 40,000. */
const SLACK_LENGTH_MAX = 4_000;

export function bodyOf({ id, type, timeMs, json }: WebhookEvent, format: 'cairn' | 'slack'): string {
  if (format === 'slack') return JSON.stringify({ text: slackText(type, JSON.parse(json) as Record<string, unknown>) });
  const head = JSON.stringify({ id, type, time: new Date(timeMs).toISOString() });
  return `${head.slice(0, -1)},"data":${json}}`;
}

/** What the event is about, for those who read the deliveries. */
export function subjectOf({ json }: Pick<WebhookEvent, 'json'>): Record<'job' | 'node' | 'eventType', string | null> {
  const data = JSON.parse(json) as Readonly<Record<string, unknown>>;
  const event = (data['event'] ?? {}) as Readonly<Record<string, unknown>>;
  const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
  return {
    job: textOf(data['job']),
    node: textOf(data['node'] ?? data['nodeOid']),
    eventType: textOf(event['eventType']),
  };
}

/** Of one attempt: the timestamp is the attempt's, so that a receiver may refuse what was recorded and sent again. */
export function signedHeaders(secret: string, id: string, body: string, nowMs: number): Record<string, string> {
  const timestamp = String(Math.floor(nowMs / 1_000));
  const key = secretBytes(secret) ?? new Uint8Array(0);
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  };
}

/** `*job.event* Job-Failed · job j1 · queue q · exit 7`; Slack's three control characters are escaped. */
function slackText(type: string, data: Readonly<Record<string, unknown>>): string {
  const event = (data['event'] ?? {}) as Readonly<Record<string, unknown>>;
  const notice = (data['interruption'] ?? {}) as Readonly<Record<string, unknown>>;
  const parts = [
    event['eventType'] ?? data['message'],
    data['drained'] === false && 'drain undone',
    notice['action'] && `${notice['action']} at ${notice['time']}`,
    ...['job', 'queue', 'node', 'nodeOid'].map((name) => data[name] && `${name} ${data[name]}`),
    Array.isArray(data['keys']) && data['keys'].join(', '),
    event['detail'],
  ].filter((part): part is string => typeof part === 'string' && part !== '');
  const whole = `*${type}* ${parts.join(' · ')}`.trimEnd().slice(0, SLACK_LENGTH_MAX);
  return whole.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
