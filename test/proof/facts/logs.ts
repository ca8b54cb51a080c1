/**
 * The log of a node, sent in chunks by offset: every acknowledged byte is there, as it was sent, but for what the cap takes.
 * A kill in the middle of a write leaves any part of a chunk that nobody acknowledged; the sender goes on from there.
 */
import type { Api } from '../../support/api.ts';
import { type Facts, isTaken } from './fact.ts';

const PATH = 'var/log/proof.log';
/** Beyond any log: the refusal of such an offset says how much is stored. */
const NOWHERE = 2 ** 40;
/** Of what was sent, so much is kept to compare with: more than the cap leaves. */
const KEPT_BYTES = 4_194_304;
/** What the server keeps of it. */
const CAP_BYTES = 1_048_576;

export class LogFacts implements Facts {
  readonly name: string;
  readonly #id: string;
  readonly #line: string;
  /** The last of what was acknowledged, and how much that is. */
  readonly #chunks: Buffer[] = [];
  #kept = 0;
  #size = 0;
  #sent: Buffer | undefined;
  /** Chunks. */
  acknowledged = 0;

  constructor(number: number) {
    this.name = `log ${number}`;
    this.#id = `proof-log-${number}`;
    this.#line = `line of log ${number}, `.repeat(12);
  }

  async begin(api: Api): Promise<void> {
    isTaken(await api.put(`/api/v1/node/${this.#id}`, { hostName: 'h' }), this.name);
  }

  async step(api: Api): Promise<void> {
    this.#sent ??= this.#nextChunk();
    const answer = await api.post(`/api/v1/nodes/${this.#id}/files/${PATH}?offset=${this.#size}`, this.#sent);
    // After a call that was broken off, it says how much of it is there.
    if (answer.status === 409 && this.#mayHave(answer.json.fields.size)) this.#take(answer.json.fields.size);
    else if (isTaken(answer, this.name)) this.#take(this.#sentSize);
  }

  async audit(api: Api): Promise<string[]> {
    const path = `/api/v1/nodes/${this.#id}/files/${PATH}?offset=${NOWHERE}`;
    const conflict = await api.post(path, 'x');
    if (conflict.status !== 409) return [`${this.name}: an offset beyond the end answered ${conflict.status}`];
    const size = conflict.json.fields.size as number;
    const faults: string[] = [];
    if (size !== this.#size && !this.#mayHave(size))
      faults.push(`${this.name}: ${size} bytes, must be ${this.#size} to ${this.#sentSize}`);
    const from = this.#size - this.#kept;
    const known = Buffer.concat([...this.#chunks, this.#sent ?? Buffer.alloc(0)]).subarray(0, size - from);
    const answer = await api.get(`/nodes/${this.#id}/${PATH}`);
    if (size === 0) return faults;
    const { bytes } = answer;
    const base = size - bytes.length;
    if (answer.status !== 200 || base < from || !bytes.equals(known.subarray(base - from)))
      faults.push(`${this.name}: ${answer.status}, ${bytes.length} bytes that are not the last of the ${size} sent`);
    if (base > from && known[base - from - 1] !== 10) faults.push(`${this.name}: the cap has cut a line at ${base}`);
    if (this.#mayHave(size)) this.#take(size);
    return faults;
  }

  get #sentSize(): number {
    return this.#size + (this.#sent?.length ?? 0);
  }

  /** Whether the server may have so much: more than was acknowledged, and no more than was sent. */
  #mayHave(size: number): boolean {
    return size > this.#size && size <= this.#sentSize;
  }

  /** The server has so much. What is missing of the chunk is sent next. */
  #take(size: number): void {
    const sent = this.#sent as Buffer;
    const taken = sent.subarray(0, size - this.#size);
    this.#chunks.push(taken);
    this.#kept += taken.length;
    while (this.#kept - (this.#chunks[0] as Buffer).length >= KEPT_BYTES)
      this.#kept -= (this.#chunks.shift() as Buffer).length;
    this.#size = size;
    this.#sent = taken.length < sent.length ? sent.subarray(taken.length) : undefined;
    if (!this.#sent) this.acknowledged++;
  }

  #nextChunk(): Buffer {
    const from = Math.floor(this.#size / this.#line.length);
    // Large ones until the cap cuts the log, so that it is cut from then on.
    const count = this.#size < CAP_BYTES ? 1_000 : 20 + (from % 200);
    const lines = Array.from({ length: count }, (_, i) => `${this.#size}-${i} ${this.#line}\n`);
    return Buffer.from(lines.join(''));
  }
}
