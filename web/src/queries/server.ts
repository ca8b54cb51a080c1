/** What the pages ask of the server itself: its configuration, who may do what, webhooks, health. */
import { queryOptions } from '@tanstack/react-query';
import type { Config } from '../../../src/protocol/config/config.ts';
import type { DoctorReport } from '../../../src/protocol/explain/doctor.ts';
import type { ServiceToken } from '../../../src/protocol/identity/service-token.ts';
import type { Webhook, WebhookDetail } from '../../../src/protocol/webhook.ts';
import { readProvider } from '../api/provider.ts';
import { ask, askJson } from '../api/request.ts';

export interface ConfigChange {
  readonly version: number;
  readonly time: string;
  readonly who: string;
  readonly key: string;
  readonly old: unknown;
  readonly new: unknown;
}

/** No event tells of deliveries. */
const DELIVERIES_EVERY_MS = 5_000;

export const configQuery = queryOptions({
  queryKey: ['config'],
  queryFn: ({ signal }) => askJson<Config>('/api/v1/config', { signal }),
});

export const historyQuery = queryOptions({
  queryKey: ['config', 'history'],
  queryFn: ({ signal }) => askJson<ConfigChange[]>('/api/v1/config/history', { signal }),
});

/** It changes by itself: disks fill, backups age. */
export const doctorQuery = queryOptions({
  queryKey: ['doctor'],
  queryFn: ({ signal }) => askJson<DoctorReport>('/api/v1/doctor', { signal }),
  refetchInterval: 30_000,
});

export const idpQuery = queryOptions({
  queryKey: ['idp'],
  queryFn: ({ signal }) => readProvider(signal),
});

/** Who the caller is, by the token that is sent. */
export function meQuery(token: string | null) {
  return queryOptions({
    queryKey: ['me', token],
    queryFn: ({ signal }) => askJson<{ readonly roles: readonly string[] }>('/api/v1/security/me', { signal }),
    staleTime: 60_000,
  });
}

export const serviceTokensQuery = queryOptions({
  queryKey: ['service-tokens'],
  queryFn: ({ signal }) => askJson<ServiceToken[]>('/api/v1/security/serviceToken', { signal }),
});

export const webhooksQuery = queryOptions({
  queryKey: ['webhooks'],
  queryFn: ({ signal }) => askJson<Webhook[]>('/api/v1/webhook', { signal }),
  refetchInterval: DELIVERIES_EVERY_MS,
});

export function webhookQuery(id: string) {
  return queryOptions({
    queryKey: ['webhooks', 'one', id],
    queryFn: ({ signal }) => askJson<WebhookDetail>(`/api/v1/webhook/${encodeURIComponent(id)}`, { signal }),
    refetchInterval: DELIVERIES_EVERY_MS,
  });
}

/** Why the server doubts what it sees; without a reason it doubts nothing. */
export const readinessQuery = queryOptions({
  queryKey: ['nodes', 'readiness'],
  queryFn: ({ signal }) => askJson<{ readonly reasons: readonly string[] }>('/readyz', { signal }),
  refetchInterval: 10_000,
});

/** The script that makes a machine a worker; it changes with the server's version and certificate. */
export const installScriptQuery = queryOptions({
  queryKey: ['install-script'],
  queryFn: async ({ signal }) => (await ask('/api/v1/scripts/install-agent', { signal })).text(),
});
