/**
 * What a reader of the event stream is shown. A reader who is bound to queues sees the events of their jobs and of the
 * nodes on which those ran, and of the configuration nothing of security. Positions count the events of everybody, so
 * such a reader gets them sealed: to resume from, not to read.
 */
import { createCipheriv, createDecipheriv } from 'node:crypto';
import {
  type EventFilter,
  type EventScope,
  eventFrame,
  fitsFilter,
  gapFrame,
  type PublicEvent,
  positionFrame,
} from '../../protocol/event.ts';

export class EventView {
  readonly #filter: EventFilter;
  readonly #seesNode: (nodeId: string) => boolean;

  /** `seesNode` is asked for readers who are bound to queues. */
  constructor(filter: EventFilter, seesNode: (nodeId: string) => boolean) {
    this.#filter = filter;
    this.#seesNode = seesNode;
  }

  /** Empty where the reader is not to see it. */
  event(position: number, event: PublicEvent): string {
    const { scope } = this.#filter;
    if (!fitsFilter(event, this.#filter)) return '';
    if (!scope) return eventFrame(position, event);
    const shown = this.#shown(event, scope);
    return shown ? eventFrame(sealPosition(position, scope.key), shown) : '';
  }

  gap(timeMs: number, from: number, to: number, resumeAfter: number): string {
    const { scope } = this.#filter;
    if (!scope) return gapFrame(timeMs, from, to, resumeAfter);
    const data = { time: new Date(timeMs).toISOString() };
    return `event: gap\nid: ${sealPosition(resumeAfter, scope.key)}\ndata: ${JSON.stringify(data)}\n\n`;
  }

  position(position: number, word: string): string {
    const { scope } = this.#filter;
    return positionFrame(scope ? sealPosition(position, scope.key) : position, word);
  }

  #shown(event: PublicEvent, { queues }: EventScope): PublicEvent | null {
    if (event.type === 'config.changed') return withoutSecurity(event);
    if (event.type.startsWith('job.')) return queues.includes(event.queue) ? event : null;
    return this.#seesNode(event.node) ? event : null;
  }
}

function withoutSecurity(event: PublicEvent): PublicEvent | null {
  const { keys = [], ...data } = JSON.parse(event.json) as { readonly keys?: readonly string[] };
  const shown = keys.filter((key) => !key.startsWith('security.'));
  return shown.length === 0 ? null : { ...event, json: JSON.stringify({ ...data, keys: shown }) };
}

const CIPHER = 'aes-128-ecb';
/** Behind the number in the block: what was not sealed here does not open. */
const MARK = Buffer.from('cairn-ev');

/** One block of one cipher: the same position is the same text, also after a restart. */
export function sealPosition(position: number, key: string): string {
  const block = Buffer.alloc(16);
  block.writeBigUInt64BE(BigInt(position));
  block.set(MARK, 8);
  const cipher = createCipheriv(CIPHER, Buffer.from(key, 'base64url'), null).setAutoPadding(false);
  return Buffer.concat([cipher.update(block), cipher.final()]).toString('base64url');
}

/** Undefined where it was not sealed with the key. */
export function openPosition(sealed: string, key: string): number | undefined {
  const bytes = Buffer.from(sealed, 'base64url');
  if (bytes.byteLength !== 16) return undefined;
  const decipher = createDecipheriv(CIPHER, Buffer.from(key, 'base64url'), null).setAutoPadding(false);
  const block = Buffer.concat([decipher.update(bytes), decipher.final()]);
  return block.subarray(8).equals(MARK) ? Number(block.readBigUInt64BE()) : undefined;
}
