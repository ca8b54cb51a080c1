/** A node on disk, and what a job needs of it to put a price on its run time. */
import { pack, unpack } from 'msgpackr';
import { CodedError } from '../base/errors.ts';
import type { NodeFacts } from '../protocol/node.ts';
import { textKey } from './keys.ts';
import type { Reader } from './store.ts';

const VERSION = 1;

export interface NodeRecord {
  /** The static facts as the JSON that readers get. */
  readonly factsJson: string;
  readonly state: 'alive' | 'lost' | 'deregistered';
  readonly registeredAtMs: number;
  /** When it was lost or deregistered; null while it is alive. */
  readonly endedAtMs: number | null;
  /** As of the last registration or verdict; the table `beat` is newer while the node is alive. */
  readonly lastBeatWallMs: number;
}

export function encodeNodeRecord(record: NodeRecord): Uint8Array {
  return pack([
    VERSION,
    record.factsJson,
    record.state,
    record.registeredAtMs,
    record.endedAtMs,
    record.lastBeatWallMs,
  ]);
}

export function decodeNodeRecord(bytes: Uint8Array): NodeRecord {
  const [version, factsJson, state, registeredAtMs, endedAtMs, lastBeatWallMs] = unpack(bytes) as [
    number,
    string,
    NodeRecord['state'],
    number,
    number | null,
    number,
  ];
  if (version !== VERSION) throw new CodedError('internal', `a node record has version ${version}, want ${VERSION}`);
  return { factsJson, state, registeredAtMs, endedAtMs, lastBeatWallMs };
}

export interface NodePrice {
  readonly nodeId: string;
  /** Whether it is a spot instance. */
  readonly spot: boolean;
  /** USD an hour; 0 where it was not told. */
  readonly price: number;
  readonly onDemandPrice: number;
}

export function nodePriceOf(facts: NodeFacts): NodePrice {
  const { payType, pricePerHour, onDemandPricePerHour } = facts.instance;
  const price = pricePerHour ?? 0;
  // Where one of the two prices was not told there is nothing to compare: no savings, rather than invented ones.
  const onDemandPrice = pricePerHour === undefined ? price : (onDemandPricePerHour ?? price);
  return { nodeId: facts.id, spot: /^spot$/i.test(payType), price, onDemandPrice };
}

/** Ids by which jobs may name the node: its instance id and its own. */
export function oidsOf(facts: NodeFacts): string[] {
  const { instanceId } = facts.instance;
  return instanceId === '' || instanceId === facts.id ? [facts.id] : [facts.id, instanceId];
}

/** Instance ids are free text: cut to what a key can hold. */
export function oidKey(nodeOid: string): Uint8Array {
  return textKey(nodeOid.slice(0, 256));
}

export function encodeNodePrice(price: NodePrice): Uint8Array {
  return pack([VERSION, price.nodeId, price.spot, price.price, price.onDemandPrice]);
}

export function decodeNodePrice(bytes: Uint8Array): NodePrice {
  const [version, nodeId, spot, price, onDemandPrice] = unpack(bytes) as [number, string, boolean, number, number];
  if (version !== VERSION) throw new CodedError('internal', `a node price has version ${version}, want ${VERSION}`);
  return { nodeId, spot, price, onDemandPrice };
}

export function readNodePrice(reader: Reader, nodeOid: string): NodePrice | undefined {
  if (nodeOid === '') return undefined;
  const bytes = reader.get('nodeByOid', oidKey(nodeOid));
  return bytes && decodeNodePrice(bytes);
}
