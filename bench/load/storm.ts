/** A storm of TLS clients in processes of their own. */
import { type ChildProcess, fork } from 'node:child_process';
import { endsWithUs } from './children.ts';
import type { FromStorm, StormPlan, StormResult, ToStorm } from './storm-plan.ts';

/** A client that is not back by then never will be. */
const BACK_MS_MAX = 180_000;
/** A process holds its clients' descriptors and does their handshakes on one core. */
const CLIENTS_A_PROCESS = 5_000;

export class Storm {
  readonly #children: readonly ChildProcess[];

  private constructor(children: readonly ChildProcess[]) {
    this.#children = children;
  }

  static async of(host: string, port: number, clients: number): Promise<Storm> {
    const count = Math.ceil(clients / CLIENTS_A_PROCESS);
    const children = Array.from({ length: count }, () =>
      endsWithUs(fork(new URL('./storm-process.js', import.meta.url))),
    );
    const storm = new Storm(children);
    const each = Math.ceil(clients / count);
    await storm.#tellAll('ready', (index) => {
      const first = index * each;
      const plan: StormPlan = { host, port, first, clients: Math.min(each, clients - first) };
      return { type: 'plan', plan };
    });
    return storm;
  }

  async run({ resume }: { readonly resume: boolean }): Promise<StormResult> {
    const results = (await this.#tellAll('back', () => ({ type: 'storm', resume }))).flatMap((message) =>
      message.type === 'back' ? [message.result] : [],
    );
    const statuses: Record<string, number> = {};
    for (const result of results) {
      for (const [status, count] of Object.entries(result.statuses)) statuses[status] = (statuses[status] ?? 0) + count;
    }
    return {
      backMs: results.flatMap(({ backMs }) => backMs),
      broken: results.reduce((sum, { broken }) => sum + broken, 0),
      resumed: results.reduce((sum, { resumed }) => sum + resumed, 0),
      statuses,
    };
  }

  async drop(): Promise<void> {
    await this.#tellAll('dropped', () => ({ type: 'drop' }));
  }

  end(): void {
    for (const child of this.#children) if (child.connected) child.disconnect();
  }

  #tellAll(want: FromStorm['type'], message: (index: number) => ToStorm): Promise<FromStorm[]> {
    return Promise.all(
      this.#children.map(
        (child, index) =>
          new Promise<FromStorm>((resolve, reject) => {
            const timer = setTimeout(() => settle(`did not say "${want}" within ${BACK_MS_MAX} ms`), BACK_MS_MAX);
            const settle = (failure: string | undefined, answer?: FromStorm): void => {
              clearTimeout(timer);
              child.off('message', onMessage);
              child.off('exit', onExit);
              if (answer) resolve(answer);
              else reject(new Error(`storm clients ${failure}`));
            };
            const onMessage = (answer: FromStorm): void => {
              if (answer.type === want) settle(undefined, answer);
            };
            const onExit = (code: number | null): void => settle(`ended with ${code}`);
            child.on('message', onMessage);
            child.on('exit', onExit);
            child.send(message(index));
          }),
      ),
    );
  }
}
