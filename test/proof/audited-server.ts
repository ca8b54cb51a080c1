/**
 * A real server under the canonical workload of the proof, with an auditor outside that holds every acknowledged fact:
 * jobs, events, samples, nodes, log bytes, settings, tokens, webhooks, and the stored events.
 */
import { appendFileSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { type Answer, Api, type RequestOptions, until } from '../support/api.ts';
import { IDP_SETTINGS } from '../support/idp-settings.ts';
import { ServerProcess, type StartOptions } from '../support/server-process.ts';
import { TokenIssuer } from '../support/token-issuer.ts';
import { Clients } from './clients.ts';
import type { JobFacts } from './facts/jobs.ts';
import { TokenFacts } from './facts/tokens.ts';
import { WebhookReceiver } from './facts/webhooks.ts';
import { mustHold, within } from './machine.ts';

const STOP_MS = 60_000;
/** An hour's facts take a minute or two on a machine that does something else as well. */
const AUDIT_MS = 300_000;

export interface AuditOptions extends StartOptions {
  /** Between two calls of a client; 0 unless given. */
  readonly pauseMs?: number;
}

class AdminApi extends Api {
  readonly #authorization: string;

  constructor(base: string, token: string) {
    super(base);
    this.#authorization = `Bearer ${token}`;
  }

  override request(method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
    return super.request(method, path, {
      ...options,
      headers: { authorization: this.#authorization, ...options.headers },
    });
  }
}

export class AuditedServer {
  readonly folder: string;
  readonly #clients: Clients;
  readonly #issuer: TokenIssuer;
  readonly #receiver: WebhookReceiver;
  readonly #options: AuditOptions;
  #token = '';
  #process: ServerProcess | undefined;
  #api: Api | undefined;
  #forgiven = 0;
  audits = 0;
  /** How long the last start took that got ready. */
  startMs = 0;
  /** Threads that handle requests, from the next start on. */
  shards = 2;

  private constructor(folder: string, issuer: TokenIssuer, receiver: WebhookReceiver, options: AuditOptions) {
    this.folder = folder;
    this.#issuer = issuer;
    this.#receiver = receiver;
    this.#options = options;
    this.#clients = new Clients({ more: [new TokenFacts()], pauseMs: options.pauseMs ?? 0, restMs: STOP_MS });
  }

  /** Starts it with the provider on and every client known. */
  static async start(options: AuditOptions = {}): Promise<AuditedServer> {
    const folder = await mkdtemp(join(tmpdir(), 'cairn-proof-'));
    const issuer = await TokenIssuer.start();
    const audited = new AuditedServer(folder, issuer, await WebhookReceiver.start(), options);
    try {
      await audited.#begin();
      return audited;
    } catch (error) {
      await audited.dispose();
      throw error;
    }
  }

  get dataFolder(): string {
    return join(this.folder, 'data');
  }

  get process(): ServerProcess {
    if (!this.#process) throw new Error('the server does not run');
    return this.#process;
  }

  get api(): Api {
    if (!this.#api) throw new Error('the server does not run');
    return this.#api;
  }

  /** The administrator's. */
  get token(): string {
    return this.#token;
  }

  get acknowledged(): number {
    return this.#clients.acknowledged;
  }

  /** The clients whose jobs' events the receiver gets. */
  get #delivered(): JobFacts {
    return this.#clients.jobs[0] as JobFacts;
  }

  get deliveries(): number {
    return this.#receiver.deliveries;
  }

  async #begin(): Promise<void> {
    await this.up();
    // The server gives the provider 5 s to answer, which it needs on a machine that is busy enough.
    const setProvider = (): Promise<Answer> => this.api.put('/api/v1/security/idp', IDP_SETTINGS);
    await until(setProvider, ({ status }) => status === 200, 'the provider to be taken');
    this.#token = await this.#issuer.token({ groups: ['admin'], expiresIn: 86_400, notBefore: -86_400 });
    this.#newApi();
    isOk(await this.api.configKv({ 'node.maxPerLogSizeMB': '1', 'log.maxSizeMB': '1' }), 'the settings');
    await this.#receiver.subscribe(this.api, this.#delivered.queue);
    await this.#clients.begin(this.api);
  }

  /** Starts the process; `env` is added to that of all starts. Throws where it does not get ready. */
  async up(env: Readonly<Record<string, string>> = {}, onSpawn?: (pid: number) => void): Promise<void> {
    const begunMs = performance.now();
    this.#process = await ServerProcess.start({
      folders: { data: this.dataFolder, log: join(this.folder, 'log') },
      args: ['--shards', String(this.shards), ...(this.#options.args ?? [])],
      env: { CAIRN_IDP_ISSUER: this.#issuer.url, ...this.#options.env, ...env },
      ...(this.#options.program === undefined ? {} : { program: this.#options.program }),
      ...(onSpawn === undefined ? {} : { onSpawn }),
    });
    this.startMs = performance.now() - begunMs;
    this.#newApi();
  }

  /** While it is down: its access log as one of so many bytes, so that a few requests more rotate it. */
  fillAccessLog(bytes: number): void {
    const file = join(this.folder, 'log', 'cairn-access.log');
    const { size } = statSync(file);
    if (size < bytes) appendFileSync(file, `${'x'.repeat(bytes - size - 1)}\n`);
  }

  /** The clients work, each with one call at a time, until the connection breaks or `rest` is called. */
  work(): void {
    const { api } = this;
    // Where the process lives, the thread that held the connection is gone: others go on.
    this.#clients.work(
      () => api,
      () => this.#process?.hasExited ?? true,
    );
  }

  /** Waits until every client has its answer, or knows that there is none. */
  rest(): Promise<void> {
    return this.#clients.rest();
  }

  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<number | null> {
    const code = await within(STOP_MS, `the end of the process after ${signal}`, this.process.kill(signal));
    await this.rest();
    return code;
  }

  /** Holds all facts against the server. Throws a `BrokenPromise` that says `where` and what is missing. */
  async audit(where: string): Promise<void> {
    this.audits++;
    mustHold(await within(AUDIT_MS, `the audit, ${where}`, this.#clients.audit(this.api)), where);
    mustHold(await this.#bugs(), `${where}, the server log`);
  }

  /** What has to come in the end: every delivery. */
  async auditDeliveries(where: string): Promise<void> {
    mustHold(await this.#receiver.audit(this.api, this.#delivered), where);
  }

  async dispose(): Promise<void> {
    await this.#process?.kill('SIGKILL');
    await this.#clients.stop();
    this.#api?.close();
    await this.#receiver.stop();
    await this.#issuer.stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  #newApi(): void {
    this.#api?.close();
    this.#api = this.#token === '' ? new Api(this.process.address) : new AdminApi(this.process.address, this.#token);
  }

  /** What its log has called a bug by now is judged no more. */
  async forgiveBugs(): Promise<void> {
    this.#forgiven += (await this.#bugs()).length;
  }

  async #bugs(): Promise<string[]> {
    // A program that crashes its own shards says so.
    const isWanted = (line: string): boolean =>
      this.#options.program !== undefined && /"a shard (failed|ended|crashed)/.test(line);
    const lines = (await this.process.logText()).split('\n');
    return lines.filter((line) => line.includes('"kind":"bug"') && !isWanted(line)).slice(this.#forgiven);
  }
}

function isOk({ status, text }: Answer, what: string): void {
  if (status !== 200) throw new Error(`${what}: ${status} ${text}`);
}
