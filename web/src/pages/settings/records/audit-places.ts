/** Where a record of the audit log leads: to what it is about, as long as that exists. */
import { useQuery } from '@tanstack/react-query';
import type { AuditRecord } from '../../../api/audit.ts';
import { nodeNamesQuery } from '../../../queries/nodes.ts';
import { serviceTokensQuery, webhooksQuery } from '../../../queries/server.ts';
import { type Place, placeOf } from './audit-text.ts';

/** What of the records exists now is asked for once, and only of those kinds that they have. */
export function usePlaces(records: readonly AuditRecord[]): (record: AuditRecord) => Place | undefined {
  const hasSome = (kind: string): boolean => records.some(({ action }) => action.startsWith(kind));
  const webhooks = useQuery({ ...webhooksQuery, enabled: hasSome('webhook.') }).data;
  const tokens = useQuery({ ...serviceTokensQuery, enabled: hasSome('serviceToken.') }).data;
  const nodes = useQuery({ ...nodeNamesQuery, enabled: hasSome('node.') }).data;
  const known = {
    webhooks: new Set(webhooks?.map(({ id }) => id)),
    tokens: new Set(tokens?.map(({ id }) => id)),
    nodes: nodes ?? new Map(),
  };
  return (record) => placeOf(record, known);
}
