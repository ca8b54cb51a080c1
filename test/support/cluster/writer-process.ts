/** The test's end of `writer-child.ts`: a writer of a cluster that can be killed. */
import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ReplicaOptions, ReplicaStatus } from '../../../src/store/replica/status.ts';

export interface Question {
  readonly number: number;
  readonly what: 'put' | 'log' | 'digest' | 'members' | 'barrier' | 'attach' | 'stop';
  readonly key?: string;
  readonly text?: string;
  readonly size?: number;
}

export interface Answer {
  readonly isReady?: true;
  readonly status?: ReplicaStatus;
  readonly number?: number;
  readonly value?: string;
  readonly error?: string;
}

const DEADLINE_MS = 60_000;

export class WriterProcess {
  readonly options: ReplicaOptions;
  readonly #folder: string;
  #child: ChildProcess | null = null;
  #exited: Promise<void> = Promise.resolve();
  #status: ReplicaStatus | null = null;
  #number = 0;
  readonly #asked = new Map<number, { resolve: (value: string) => void; reject: (error: Error) => void }>();
  #heard: (() => void)[] = [];

  constructor(id: string, engine: readonly string[], cluster: string, more: Partial<ReplicaOptions> = {}) {
    this.#folder = mkdtempSync(join(tmpdir(), `cairn-writer-${id}-`));
    this.options = {
      engine,
      cluster,
      self: { id, url: `http://127.0.0.1/${id}`, fingerprint: null },
      credsFile: null,
      caFile: null,
      keyFile: null,
      dataFolder: join(this.#folder, 'data'),
      logFolder: join(this.#folder, 'log'),
      ...more,
    };
  }

  get status(): ReplicaStatus | null {
    return this.#status;
  }

  get logFolder(): string {
    return this.options.logFolder;
  }

  get hasExited(): boolean {
    return !this.#child || this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  get exited(): Promise<void> {
    return this.#exited;
  }

  /** `env` is added to that of this process. */
  async start(env: Readonly<Record<string, string>> = {}): Promise<void> {
    const child = fork(new URL('./writer-child.js', import.meta.url), [JSON.stringify(this.options)], {
      stdio: ['ignore', 'inherit', process.env['CAIRN_TEST_LOUD'] ? 'inherit' : 'ignore', 'ipc'],
      env: { ...process.env, ...env },
    });
    this.#child = child;
    this.#exited = new Promise((resolve) => child.once('exit', () => resolve()));
    this.#status = null;
    let ready = (): void => {};
    const isReady = new Promise<void>((resolve) => {
      ready = resolve;
    });
    child.on('message', (answer: Answer) => {
      if (answer.isReady) ready();
      if (answer.status) {
        this.#status = answer.status;
        for (const heard of this.#heard) heard();
      }
      const asked = answer.number === undefined ? undefined : this.#asked.get(answer.number);
      if (!asked) return;
      this.#asked.delete(answer.number as number);
      if (answer.error === undefined) asked.resolve(answer.value ?? '');
      else asked.reject(new Error(answer.error));
    });
    child.once('exit', () => {
      for (const { reject } of this.#asked.values()) reject(new Error('the process has ended'));
      this.#asked.clear();
    });
    const hasEnded = this.#exited.then(() => Promise.reject(new Error('the process has ended before it was ready')));
    await within(Promise.race([isReady, hasEnded]), `the writer ${this.options.self.id} is ready`);
  }

  ask(what: Question['what'], question: Omit<Question, 'number' | 'what'> = {}): Promise<string> {
    if (!this.#child?.connected) return Promise.reject(new Error('the process has ended'));
    const number = ++this.#number;
    const answer = new Promise<string>((resolve, reject) => this.#asked.set(number, { resolve, reject }));
    this.#child.send({ number, what, ...question } satisfies Question, (error) => {
      // It ends at this moment: nobody will answer.
      if (error) this.#asked.get(number)?.reject(error);
    });
    return within(answer, `the writer ${this.options.self.id} answers to ${what}`);
  }

  /** Resolves when a status is as wanted; what this is comes in the failure. */
  until(wanted: (status: ReplicaStatus) => boolean, what: string): Promise<void> {
    let end = (): void => {};
    const seen = new Promise<void>((resolve) => {
      end = this.listen((status) => {
        if (wanted(status)) resolve();
      });
    });
    return within(seen, `${this.options.self.id}: ${what}`, () => JSON.stringify(this.#status)).finally(end);
  }

  /** Asks with each status that comes, until the answer is as wanted. */
  async untilAnswer(what: Question['what'], wanted: (answer: string) => boolean, why: string): Promise<void> {
    let end = (): void => {};
    const seen = new Promise<void>((resolve) => {
      end = this.listen(() => {
        this.ask(what).then(
          (answer) => wanted(answer) && resolve(),
          () => {},
        );
      });
    });
    await within(seen, `${this.options.self.id}: ${why}`).finally(end);
  }

  /** Hears of the status as it is, and of each that comes. Returns what ends it. */
  listen(hear: (status: ReplicaStatus) => void): () => void {
    const heard = (): void => {
      if (this.#status) hear(this.#status);
    };
    this.#heard.push(heard);
    heard();
    return () => {
      this.#heard = this.#heard.filter((other) => other !== heard);
    };
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await within(ended, `the writer ${this.options.self.id} ends after ${signal}`);
  }

  async end(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Resolves when one of them leads: it. */
export function untilOneLeads(writers: readonly WriterProcess[]): Promise<WriterProcess> {
  const ends: (() => void)[] = [];
  const found = new Promise<WriterProcess>((resolve) => {
    for (const writer of writers) {
      const end = writer.listen(({ role }) => {
        if (role === 'leader') resolve(writer);
      });
      ends.push(end);
    }
  });
  const statuses = (): string => writers.map(({ status }) => JSON.stringify(status)).join(' ');
  return within(found, 'one of the writers leads', statuses).finally(() => {
    for (const end of ends) end();
  });
}

function within<T>(promise: Promise<T>, what: string, detail = (): string => ''): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not within ${DEADLINE_MS} ms: ${what} ${detail()}`)), DEADLINE_MS);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
