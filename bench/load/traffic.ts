/**
 * Messages as bytes, from a description: made once in the load process, before any clock runs.
 *
 * Ids, bodies and values follow from the seed alone, so that two runs send the same bytes.
 */
import { Packr } from 'msgpackr';
import { shardOf } from '../../src/actors/shard/wire/placement.ts';
import { requestBytes } from './http-wire.ts';
import { setCommand } from './redis-wire.ts';
import { maskedFrame } from './websocket-wire.ts';
import { beatMetrics, benchNode, registrationOf } from './workload.ts';

export type Format = 'json' | 'msgpack';

export interface NodeRange {
  readonly first: number;
  readonly count: number;
  /** Only nodes that this shard of so many owns. */
  readonly shard?: { readonly index: number; readonly of: number };
}

export type Traffic =
  | { readonly what: 'register'; readonly nodes: NodeRange }
  /** POST /api/v1/node/{id}/heartbeat, JSON. */
  | { readonly what: 'single-beats'; readonly nodes: NodeRange; readonly metrics: boolean }
  /** POST /api/v1/heartbeat. */
  | {
      readonly what: 'batches';
      readonly nodes: NodeRange;
      readonly metrics: boolean;
      readonly format: Format;
      readonly perMessage: number;
    }
  /** WebSocket frames of `{seq, beats}`; seq is the message's place in the whole plan. */
  | {
      readonly what: 'frames';
      readonly nodes: NodeRange;
      readonly metrics: boolean;
      readonly format: Format;
      readonly perMessage: number;
    }
  /** `SET key 400B EX 300`, so many in one write. */
  | { readonly what: 'redis-sets'; readonly nodes: NodeRange; readonly perMessage: number };

/** Messages by index; `at` may make them when asked, so that a million registrations need no gigabyte. */
export interface Messages {
  readonly count: number;
  at(index: number): Uint8Array;
  /** Answers that complete one message. */
  readonly answersEach: number;
}

const packr = new Packr({ useRecords: false, variableMapSize: true });

export function messagesOf(traffic: readonly Uint8Array[] | Traffic, host: string, seqFrom: number): Messages {
  if (!('what' in traffic)) return fixed(traffic as readonly Uint8Array[], 1);
  const numbers = nodeNumbers(traffic.nodes);
  switch (traffic.what) {
    case 'register':
      return { count: numbers.length, answersEach: 1, at: (i) => registration(numbers[i] as number, host) };
    case 'single-beats':
      return slab(numbers.length, 1, (i) => {
        const number = numbers[i] as number;
        const body = JSON.stringify(traffic.metrics ? { metrics: beatMetrics(number) } : {});
        return requestBytes('POST', benchNode(number).path, host, body);
      });
    case 'batches':
      return slab(Math.ceil(numbers.length / traffic.perMessage), 1, (i) =>
        requestBytes(
          'POST',
          '/api/v1/heartbeat',
          host,
          encode(beatsOf(traffic, numbers, i), traffic.format),
          traffic.format === 'json' ? 'application/json' : 'application/msgpack',
        ),
      );
    case 'frames':
      return slab(Math.ceil(numbers.length / traffic.perMessage), 1, (i) =>
        maskedFrame(
          encode({ seq: seqFrom + i, beats: beatsOf(traffic, numbers, i) }, traffic.format),
          traffic.format === 'json',
        ),
      );
    case 'redis-sets':
      return slab(Math.ceil(numbers.length / traffic.perMessage), traffic.perMessage, (i) =>
        Buffer.concat(
          Array.from({ length: traffic.perMessage }, (_, k) =>
            setCommand(benchNode(numbers[(i * traffic.perMessage + k) % numbers.length] as number).id),
          ),
        ),
      );
  }
}

function nodeNumbers({ first, count, shard }: NodeRange): number[] {
  const all = Array.from({ length: count }, (_, i) => first + i);
  return shard
    ? all.filter((number) => shardOf({ kind: 'node', id: benchNode(number).id }, shard.of) === shard.index)
    : all;
}

function beatsOf(
  { metrics, perMessage }: { readonly metrics: boolean; readonly perMessage: number },
  numbers: readonly number[],
  message: number,
): object[] {
  return numbers
    .slice(message * perMessage, (message + 1) * perMessage)
    .map((number) => ({ id: benchNode(number).id, ...(metrics ? { metrics: beatMetrics(number) } : {}) }));
}

function encode(value: object, format: Format): Uint8Array {
  return format === 'json' ? Buffer.from(JSON.stringify(value)) : packr.pack(value);
}

function registration(number: number, host: string): Uint8Array {
  const node = benchNode(number);
  return requestBytes('PUT', `/api/v1/node/${node.id}`, host, JSON.stringify(registrationOf(node)));
}

function fixed(bytes: readonly Uint8Array[], answersEach: number): Messages {
  return { count: bytes.length, answersEach, at: (i) => bytes[i] as Uint8Array };
}

/** All messages in few large buffers: a million small ones would cost more in headers than in bytes. */
function slab(count: number, answersEach: number, make: (index: number) => Uint8Array): Messages {
  const SLAB_BYTES = 16 * 1024 * 1024;
  const slabs: Buffer[] = [];
  const starts = new Uint32Array(count);
  const ends = new Uint32Array(count);
  const slabOf = new Uint16Array(count);
  let at = 0;
  for (let i = 0; i < count; i++) {
    const bytes = make(i);
    if (at + bytes.byteLength > (slabs.at(-1)?.byteLength ?? 0)) {
      slabs.push(Buffer.allocUnsafeSlow(Math.max(SLAB_BYTES, bytes.byteLength)));
      at = 0;
    }
    (slabs.at(-1) as Buffer).set(bytes, at);
    slabOf[i] = slabs.length - 1;
    starts[i] = at;
    at += bytes.byteLength;
    ends[i] = at;
  }
  return {
    count,
    answersEach,
    at: (i) => (slabs[slabOf[i] as number] as Buffer).subarray(starts[i] as number, ends[i] as number),
  };
}
