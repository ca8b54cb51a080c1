/**
 * Calls between two threads over one port, both ways. Each side offers an object of asynchronous methods and holds a
 * proxy of the other's: remote looks like local. Failures cross as names of error codes, never as classes or texts to match.
 */
import type { MessagePort, TransferListItem, Worker } from 'node:worker_threads';
import { CodedError, errorOf, type Failure, failureOf, OUTCOME_UNKNOWN } from '../../../base/errors.ts';

/** Methods that may be called from the other thread. Values must survive structured cloning. */
// biome-ignore lint/suspicious/noExplicitAny: each interface gives its own argument and result types.
export type RemoteMethods<T> = { [K in keyof T]: (...args: any[]) => Promise<unknown> };

type Envelope =
  | { readonly rpc: 'call'; readonly seq: number; readonly method: string; readonly args: unknown[] }
  | { readonly rpc: 'return'; readonly seq: number; readonly value: unknown; readonly failure: Failure | null };

interface Pending {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: CodedError) => void;
}

/** Calls that may wait for the other thread. Overflow policy: reject with `overloaded`. */
const PENDING_MAX = 16_384;

/** Marks what a method's arguments or result hand over instead of copying. */
export class Transferred<T> {
  readonly value: T;
  readonly list: readonly TransferListItem[];
  constructor(value: T, list: readonly TransferListItem[]) {
    this.value = value;
    this.list = list;
  }
}

export class RpcEnd<Remote extends RemoteMethods<Remote>> {
  readonly remote: Remote;
  readonly #port: MessagePort | Worker;
  readonly #pending = new Map<number, Pending>();
  readonly #onFault: (error: unknown, method: string) => void;
  #seq = 0;
  #closed = false;

  /** `local` is what the other side may call; `onFault` hears what a local method threw that was not coded. */
  constructor(port: MessagePort | Worker, local: object, onFault: (error: unknown, method: string) => void) {
    this.#port = port;
    this.#onFault = onFault;
    port.on('message', (envelope: Envelope) => {
      if (envelope.rpc === 'call') void this.#serve(local, envelope);
      else if (envelope.rpc === 'return') this.#settle(envelope);
    });
    this.remote = new Proxy({} as Remote, {
      get: (_, method) => (method === 'then' ? undefined : (...args: unknown[]) => this.#call(String(method), args)),
    });
  }

  /** Rejects every call that waits with outcomeUnknown; later ones are refused. The other thread is gone. */
  close(): void {
    this.#closed = true;
    for (const { reject } of this.#pending.values()) reject(errorOf(OUTCOME_UNKNOWN));
    this.#pending.clear();
  }

  #call(method: string, args: unknown[]): Promise<unknown> {
    if (this.#closed || this.#pending.size >= PENDING_MAX) return Promise.reject(new CodedError('overloaded'));
    const seq = ++this.#seq;
    const transfer: TransferListItem[] = [];
    const values = args.map((arg) => unwrap(arg, transfer));
    return new Promise((resolve, reject) => {
      // What cannot be cloned throws here, before anything waits for an answer.
      this.#port.postMessage({ rpc: 'call', seq, method, args: values } satisfies Envelope, transfer);
      this.#pending.set(seq, { resolve, reject });
    });
  }

  async #serve(local: object, { seq, method, args }: Envelope & { rpc: 'call' }): Promise<void> {
    try {
      const transfer: TransferListItem[] = [];
      const implementation = (local as Record<string, unknown>)[method];
      if (typeof implementation !== 'function') throw new CodedError('internal', `no method ${method}`);
      const value = unwrap(await implementation.apply(local, args), transfer);
      this.#return({ rpc: 'return', seq, value, failure: null }, transfer);
    } catch (error) {
      if (!(error instanceof CodedError)) this.#onFault(error, method);
      const failure: Failure = error instanceof CodedError ? failureOf(error) : { name: 'internal' };
      this.#return({ rpc: 'return', seq, value: undefined, failure }, []);
    }
  }

  #return(envelope: Envelope & { rpc: 'return' }, transfer: TransferListItem[]): void {
    if (!this.#closed) this.#port.postMessage(envelope, transfer);
  }

  #settle({ seq, value, failure }: Envelope & { rpc: 'return' }): void {
    const pending = this.#pending.get(seq);
    this.#pending.delete(seq);
    if (failure) pending?.reject(errorOf(failure));
    else pending?.resolve(value);
  }
}

function unwrap(value: unknown, transfer: TransferListItem[]): unknown {
  if (!(value instanceof Transferred)) return value;
  transfer.push(...value.list);
  return value.value;
}
