/** The query of `GET /api/v1/node`, checked. */
import { z } from 'zod';
import type { NodeFilter } from '../../actors/node/directory.ts';
import { parameter, textParameter } from '../../protocol/lists/parameter.ts';
import type { RowStyle } from '../../protocol/lists/row-style.ts';
import { NODE_STATES, timestampSchema } from '../../protocol/node.ts';
import { epochMsFrom, epochMsOf } from '../../protocol/timestamp.ts';
import { NODE_SORTS, type NodeOrder, type NodePosition, nodePositionOf } from './node-order.ts';
import {
  CURSOR_PARAMETER,
  FORMAT_PARAMETER,
  fieldsParameter,
  ListParameters,
  limitParameter,
  sortParameter,
} from './parameters.ts';

const STATES = ['running', 'all', ...NODE_STATES] as const;

/** Fields of a node in the order in which it is answered; those of `instance` also one by one. */
export const NODE_FIELDS = [
  'id',
  'ips',
  'hostName',
  'cloud',
  'arch',
  'cores',
  'cpuModel',
  'cpuVendor',
  'memoryInMB',
  'instance',
  'instance.zone',
  'instance.instanceId',
  'instance.instanceType',
  'instance.region',
  'instance.createTime',
  'instance.payType',
  'instance.pricePerHour',
  'instance.onDemandPricePerHour',
  'lastHeartbeat',
  'state',
  'drained',
  'interruption',
  'endedAt',
] as const;

export const NODE_PARAMETERS = {
  limit: limitParameter('Nodes per page, 1 to 10,000; the Link header names the next page. Defaults to all nodes'),
  cursor: CURSOR_PARAMETER,
  sort: sortParameter(
    `One of ${NODE_SORTS.join(', ')}; a leading - sorts in descending order. Defaults to id; ties are sorted by id`,
    NODE_SORTS,
  ),
  fields: fieldsParameter(NODE_FIELDS),
  format: FORMAT_PARAMETER,
  state: parameter(
    'alive, late, lost, deregistered, or all; defaults to running nodes (alive and late)',
    z.enum(STATES),
    'all',
  ),
  cloud: textParameter('Only nodes of this cloud', 'aws'),
  zone: textParameter('Only nodes of this zone', 'us-east-1a'),
  instanceType: textParameter('Only nodes of this instance type', 'm5.xlarge'),
  payType: textParameter('Only nodes of this pay type', 'Spot'),
  heartbeatAfter: parameter(
    'Only nodes whose last heartbeat is after this time, exclusive; RFC 3339',
    timestampSchema,
    '2026-05-01T00:00:00Z',
  ),
  heartbeatBefore: parameter(
    'Only nodes whose last heartbeat is before this time, exclusive; RFC 3339',
    timestampSchema,
    '2027-01-01T00:00:00Z',
  ),
  q: textParameter(
    'Only nodes with this text in id, host name, addresses, processor or instance, ignoring case',
    'node',
  ),
} as const;

export interface NodeListRequest {
  readonly filter: NodeFilter;
  readonly order: NodeOrder;
  readonly style: RowStyle;
  readonly limit: number | null;
  readonly after: NodePosition | null;
  /** What a cursor of this list is sealed to. */
  readonly scope: string;
}

/** Throws `invalid` with every fault. */
export function nodeListRequestOf(sent: URLSearchParams, accept: string): NodeListRequest {
  const parameters = new ListParameters(sent, Object.keys(NODE_PARAMETERS));
  const order = parameters.sort(NODE_SORTS, 'id');
  const filter = filterOf(parameters);
  const scope = JSON.stringify(['node', order.by, order.descending, Object.entries(filter).sort()]);
  const position = parameters.position(scope);
  const style: RowStyle = { format: parameters.format(accept), fields: parameters.fields(NODE_FIELDS) };
  const limit = parameters.limit();
  parameters.mustBeFaultless();
  return { filter, order, style, limit, after: position ? nodePositionOf(position) : null, scope };
}

function filterOf(parameters: ListParameters): NodeFilter {
  const texts: Record<string, string> = {};
  for (const name of ['cloud', 'zone', 'instanceType', 'payType']) {
    const value = parameters.word(name);
    if (value !== undefined) texts[name] = value;
  }
  const heardAfter = parameters.time('heartbeatAfter');
  const heardBefore = parameters.time('heartbeatBefore');
  const q = parameters.search();
  return {
    state: parameters.oneOf('state', STATES) ?? 'running',
    ...texts,
    // Heartbeats are told in whole milliseconds: what is exclusive in nanoseconds stays so.
    ...(heardAfter === undefined ? {} : { heardAfterMs: epochMsOf(heardAfter) }),
    ...(heardBefore === undefined ? {} : { heardBeforeMs: epochMsFrom(heardBefore) }),
    ...(q === undefined ? {} : { q }),
  };
}
