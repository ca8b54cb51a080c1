/** One TLS client of a connect storm: connects, registers its node, comes again when that breaks. */
import net from 'node:net';
import tls from 'node:tls';
import { systemRandom } from '../../src/base/random.ts';
import { httpScanner, requestBytes } from './http-wire.ts';
import type { StormPlan } from './storm-plan.ts';
import { benchNode, registrationOf } from './workload.ts';

/** As an agent waits: a second, spread so that the next wave is flatter. */
const RETRY_MS = { low: 500, high: 1_500 } as const;

export interface Back {
  readonly afterMs: number;
  readonly resumed: boolean;
  readonly broken: number;
}

/** Shared, because making a context costs more than a handshake. */
const secureContext = tls.createSecureContext();

export class StormClient {
  readonly #plan: StormPlan;
  readonly #number: number;
  #socket: tls.TLSSocket | undefined;
  #session: Buffer | undefined;

  constructor(plan: StormPlan, number: number) {
    this.#plan = plan;
    this.#number = number;
  }

  /** Resolves when the server has answered 200 to the registration. */
  async comeBack(resume: boolean, onStatus: (status: number) => void): Promise<Back> {
    const begun = performance.now();
    for (let broken = 0; ; broken++) {
      const resumed = await this.#attempt(resume, onStatus);
      if (resumed !== undefined) return { afterMs: performance.now() - begun, resumed, broken };
      await new Promise((resolve) => setTimeout(resolve, systemRandom.between(RETRY_MS.low, RETRY_MS.high)));
    }
  }

  drop(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  /** Whether the session was resumed; undefined where the connection broke or the answer was no 200. */
  #attempt(resume: boolean, onStatus: (status: number) => void): Promise<boolean | undefined> {
    this.drop();
    const { host, port } = this.#plan;
    return new Promise((resolve) => {
      const socket = tls.connect({
        socket: net.connect({ host, port, noDelay: true }),
        secureContext,
        rejectUnauthorized: false,
        ...(resume && this.#session ? { session: this.#session } : {}),
      });
      this.#socket = socket;
      socket.on('session', (session) => {
        this.#session = session;
      });
      socket.once('secureConnect', () => {
        const node = benchNode(this.#number);
        socket.write(requestBytes('PUT', `/api/v1/node/${node.id}`, host, JSON.stringify(registrationOf(node))));
      });
      socket.on(
        'data',
        httpScanner((status) => {
          onStatus(status);
          resolve(status === 200 ? socket.isSessionReused() : undefined);
        }),
      );
      // The server closes what is idle after it has answered; that is no break.
      socket.on('error', () => resolve(undefined));
      socket.on('close', () => resolve(undefined));
    });
  }
}
