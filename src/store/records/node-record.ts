/** A node on disk, and what a job needs of it to put a price on its run time. */

import { pack } from 'msgpackr';
import { CodedError } from '../../base/errors.ts';
import { isSpot } from '../../protocol/names/pay-type.ts';
import type { Interruption, NodeFacts } from '../../protocol/node.ts';
import { tryParseTimestamp } from '../../protocol/timestamp.ts';
import { isDamaged } from '../kv/checksum.ts';
import { keyOf, textKey } from '../kv/keys.ts';
import type { Reader } from '../kv/store.ts';
import { mustUnpackArray, unreadable } from '../kv/unpack.ts';

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
  /** An operator has told it to take no new job. */
  readonly drained?: boolean;
  /** The cloud's notice that it takes the machine back. */
  readonly interruption?: Interruption | null;
}

export function encodeNodeRecord(record: NodeRecord): Uint8Array {
  return pack([
    VERSION,
    record.factsJson,
    record.state,
    record.registeredAtMs,
    record.endedAtMs,
    record.lastBeatWallMs,
    record.drained ?? false,
    record.interruption ? noticeParts(record.interruption) : null,
  ]);
}

function noticeParts({ action, time, receivedAt }: Interruption): string[] {
  return receivedAt === undefined ? [action, time] : [action, time, receivedAt];
}

const STATES: readonly unknown[] = ['alive', 'lost', 'deregistered'] satisfies NodeRecord['state'][];

export function decodeNodeRecord(bytes: Uint8Array): NodeRecord {
  // Records of before there were drains and interruptions end with the beat.
  const [version, factsJson, state, registeredAtMs, endedAtMs, lastBeatWallMs, drained = false, notice = null] =
    mustUnpackArray(bytes, 'a node record');
  if (version !== VERSION)
    throw new CodedError('recordDamaged', `a node record has version ${String(version)}, want ${VERSION}`);
  if (
    typeof factsJson !== 'string' ||
    !STATES.includes(state) ||
    typeof registeredAtMs !== 'number' ||
    (endedAtMs !== null && typeof endedAtMs !== 'number') ||
    typeof lastBeatWallMs !== 'number' ||
    typeof drained !== 'boolean' ||
    (notice !== null && !isNotice(notice))
  )
    throw unreadable('a node record');
  const interruption = notice && noticeIn(notice);
  return {
    factsJson,
    state: state as NodeRecord['state'],
    registeredAtMs,
    endedAtMs,
    lastBeatWallMs,
    drained,
    interruption,
  };
}

type StoredNotice = readonly [action: string, time: string, receivedAt?: string];

function isNotice(value: unknown): value is StoredNotice {
  if (!Array.isArray(value) || typeof value[0] !== 'string') return false;
  const [, ...times] = value as unknown[];
  return times.length >= 1 && times.every((time) => typeof time === 'string' && tryParseTimestamp(time) !== undefined);
}

/** Records of before the receipt was kept end with the time. */
function noticeIn([action, time, receivedAt]: StoredNotice): Interruption {
  return receivedAt === undefined ? { action, time } : { action, time, receivedAt };
}

/** Key of an ended node among the others, in the order of their ends. */
export function endedKey(endedAtMs: number, id: string): Uint8Array {
  return keyOf({ ms: Math.floor(endedAtMs) }, { text: id });
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
  return { nodeId: facts.id, spot: isSpot(payType), price, onDemandPrice };
}

/** Ids by which jobs may name the node: its instance id and its own. */
export function oidsOf(facts: NodeFacts): string[] {
  const { instanceId } = facts.instance;
  return instanceId === '' || instanceId === facts.id ? [facts.id] : [facts.id, instanceId];
}

export function oidKey(nodeOid: string): Uint8Array {
  return textKey(oidText(nodeOid));
}

/** Instance ids are free text: cut to what a key can hold. */
export function oidText(nodeOid: string): string {
  return nodeOid.slice(0, 256);
}

export function encodeNodePrice(price: NodePrice): Uint8Array {
  return pack([VERSION, price.nodeId, price.spot, price.price, price.onDemandPrice]);
}

export function decodeNodePrice(bytes: Uint8Array): NodePrice {
  const [version, nodeId, spot, price, onDemandPrice] = mustUnpackArray(bytes, 'a node price');
  if (version !== VERSION)
    throw new CodedError('recordDamaged', `a node price has version ${String(version)}, want ${VERSION}`);
  if (
    typeof nodeId !== 'string' ||
    typeof spot !== 'boolean' ||
    typeof price !== 'number' ||
    typeof onDemandPrice !== 'number'
  )
    throw unreadable('a node price');
  return { nodeId, spot, price, onDemandPrice };
}

export function readNodePrice(reader: Reader, nodeOid: string): NodePrice | undefined {
  if (nodeOid === '') return undefined;
  const bytes = reader.get('nodeByOid', oidKey(nodeOid));
  return bytes && !isDamaged(bytes) ? decodeNodePrice(bytes) : undefined;
}

/** What is known of a job's node. A damaged record tells nothing, and a job that was never given a node has none that could be gone. */
export interface NodeFate {
  /** Lost, deregistered or not known. */
  readonly isGone: boolean;
  /** When a node that is lost last beat, or when one was deregistered; null of all others. */
  readonly lastSignMs: number | null;
}

const HERE: NodeFate = { isGone: false, lastSignMs: null };
const UNKNOWN: NodeFate = { isGone: true, lastSignMs: null };

export function nodeFateOf(reader: Reader, nodeOid: string): NodeFate {
  if (nodeOid === '') return HERE;
  try {
    const nodeId = readNodePrice(reader, nodeOid)?.nodeId;
    const bytes = nodeId === undefined ? undefined : reader.get('node', textKey(nodeId));
    if (!bytes) return UNKNOWN;
    return isDamaged(bytes) ? HERE : fateIn(decodeNodeRecord(bytes));
  } catch (error) {
    if (error instanceof CodedError && error.name === 'recordDamaged') return HERE;
    throw error;
  }
}

function fateIn({ state, endedAtMs, lastBeatWallMs }: NodeRecord): NodeFate {
  if (state === 'alive') return HERE;
  return { isGone: true, lastSignMs: state === 'lost' ? lastBeatWallMs : (endedAtMs ?? lastBeatWallMs) };
}
