/**
 * A request's body on its way in. Nothing of it is kept for longer than its caller is being judged by the head: who is
 * refused has his answer at once, and what he still sends is dropped, up to `allowance` bytes.
 *
 *   held ──read()──► reading ──► whole
 *     └──────────────letGo()──────────► dropped
 *
 * `held` begins and ends in the same turn, unless the caller's token has to be checked first; the connection is paused
 * then, so that he holds no more than what came with his head. All bytes that are kept are counted in a budget.
 */
import type { ByteBudget } from '../../base/budget/byte-budget.ts';
import { CodedError } from '../../base/errors.ts';
import type { BodyBudgets } from './body-budgets.ts';
import type { HttpResponse } from './uws.ts';

/** What a caller who is not allowed to send may still send. */
export const STRANGER_MAX = 16 * 1024;
/**
 * What anybody else may still send behind an answer: most clients read none before they have sent all, and a connection
 * closed under them would show as a broken pipe instead of the answer. It is dropped, and so costs no memory.
 */
export const DISCARD_MAX = 64 * 1024 * 1024;

interface Reader {
  readonly sizeMax: number;
  readonly resolve: (bytes: Buffer) => void;
  readonly reject: (error: CodedError) => void;
}

export class IncomingBody {
  /** As the head announces it; NaN where it comes in chunks. */
  readonly announced: number;
  /** The last byte has come. */
  isComplete = false;
  /** How much may still come behind an answer. */
  allowance = STRANGER_MAX;
  readonly #response: HttpResponse;
  readonly #budgets: BodyBudgets;
  #chunks: Buffer[] | null = [];
  #received = 0;
  /** Bytes of `budget` that are taken. */
  #taken = 0;
  #budget: ByteBudget;
  #reader: Reader | null = null;
  #failure: CodedError | null = null;
  #isPaused = false;
  #isOver = false;
  #onPiece: (() => void) | null = null;
  #onOver: (() => void) | null = null;

  /** Must be made before the handler returns to uWS: only then is the body handed out. */
  constructor(response: HttpResponse, contentLength: string, budgets: BodyBudgets) {
    this.#response = response;
    this.#budgets = budgets;
    this.#budget = budgets.unjudged;
    this.announced = contentLength === '' ? Number.NaN : Number(contentLength);
    response.onData((chunk, isLast) => this.#take(chunk, isLast));
  }

  /** Bytes still to come; NaN if unknown. */
  get rest(): number {
    return this.isComplete ? 0 : this.announced - this.#received;
  }

  /** More has come behind an answer than may. */
  get isPast(): boolean {
    return this.#received > this.allowance;
  }

  /** The whole body, at most `sizeMax` bytes. Rejects with tooLarge, or with overloaded where it is beyond the budget. */
  read(sizeMax: number): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const held = this.#taken;
      this.#budgets.unjudged.give(held);
      this.#taken = 0;
      this.#budget = this.#budgets.reading;
      this.#reader = { sizeMax, resolve, reject };
      if (this.#failure) reject(this.#failure);
      else if (this.announced > sizeMax || this.#received > sizeMax) this.#fail(tooLarge(sizeMax));
      else if (!this.#grow(held)) this.#fail(beyondBudget());
      else if (this.isComplete) this.#whole();
      else this.resume();
    });
  }

  /** Counts what a compressed body has become; throws overloaded where it does not fit. */
  mustGrow(bytes: number): void {
    if (!this.#grow(bytes)) throw beyondBudget();
  }

  #grow(bytes: number): boolean {
    // The client has disconnected meanwhile: nothing would return the room.
    if (this.#isOver) return true;
    if (!this.#budget.take(bytes)) return false;
    this.#taken += bytes;
    return true;
  }

  /** Runs `then` when the call is over, at once where it is. Once a call. */
  whenOver(then: () => void): void {
    if (this.#isOver) then();
    else this.#onOver = then;
  }

  /** Releases what has arrived, and drops what still arrives. Call this when the request is over. */
  letGo(): void {
    this.#isOver = true;
    this.#onOver?.();
    this.#onOver = null;
    this.#chunks = null;
    this.#budget.give(this.#taken);
    this.#taken = 0;
  }

  /** Runs `next` at each piece from now on, and once when this turn is over. For an answer that waits for the rest. */
  watch(next: () => void): void {
    this.#onPiece = next;
    this.resume();
    setImmediate(next);
  }

  /** What is still to come is read again, if only to be dropped. */
  resume(): void {
    if (this.#isPaused) this.#response.resume();
    this.#isPaused = false;
  }

  #take(chunk: ArrayBuffer, isLast: boolean): void {
    this.#received += chunk.byteLength;
    this.isComplete = isLast;
    if (this.#chunks) this.#keep(this.#chunks, chunk);
    this.#onPiece?.();
  }

  #keep(chunks: Buffer[], chunk: ArrayBuffer): void {
    if (this.#reader && this.#received > this.#reader.sizeMax) {
      this.#fail(tooLarge(this.#reader.sizeMax));
      return;
    }
    if (!this.#grow(chunk.byteLength)) {
      this.#fail(beyondBudget());
      return;
    }
    // The chunk's memory is uWS's, and dies with the callback.
    chunks.push(Buffer.from(chunk.slice(0)));
    if (this.isComplete) this.#whole();
    else if (!this.#reader && !this.#isPaused) {
      this.#isPaused = true;
      this.#response.pause();
    }
  }

  #whole(): void {
    const chunks = this.#chunks ?? [];
    this.#reader?.resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
    if (this.#reader) this.#chunks = null;
  }

  #fail(error: CodedError): void {
    this.letGo();
    this.#failure = error;
    this.#reader?.reject(error);
  }
}

function tooLarge(sizeMax: number): CodedError {
  return new CodedError('tooLarge', `the limit is ${sizeMax} bytes`);
}

function beyondBudget(): CodedError {
  return new CodedError('overloaded', 'request bodies that are being read use all the memory reserved for them');
}
