/**
 * `cairn run`: a thin client of this node's agent. It hands over the command with the caller's surroundings, shows the
 * output, passes signals on, and ends as the job does. The job does not depend on it, and it does not depend on one life
 * of the agent: it comes back to the next one.
 */
import { randomBytes } from 'node:crypto';
import type { CommandInput } from '../../src/base/command-input.ts';
import { EXIT_NO_AGENT, PASSED_SIGNALS } from '../wire/names.ts';
import type { Reply, Request, Shown } from '../wire/wire.ts';
import { type AgentLink, connectAgent, type LinkControl } from './agent-link.ts';
import { callerOf } from './caller.ts';
import { type RunRequest, readRunOptions } from './run-options.ts';

const RETRY_MS = 200;
const ENDING: ReadonlySet<(typeof PASSED_SIGNALS)[number]> = new Set(['SIGINT', 'SIGTERM']);
/** An agent that starts beside this command (`cairn start`, a unit at boot) opens its socket within a second. */
const STARTING_MS = 3_000;
/** An agent that is restarted is back sooner; after this a person wants to know why nothing comes. */
const SAY_GONE_AFTER_MS = 5_000;

/** Resolves with the exit code. */
export async function runCommand(input: CommandInput): Promise<number> {
  const newId = (): string => `job-${new Date().toISOString().slice(0, 10)}-${randomBytes(5).toString('hex')}`;
  return new RunSession(readRunOptions(input, process.env, newId)).run();
}

class RunSession {
  readonly #request: RunRequest;
  readonly #shown: { stdout: number; stderr: number } = { stdout: 0, stderr: 0 };
  #link: AgentLink | null = null;
  #isAttached = false;
  #hasLeft = false;
  /** Signals that came while no agent was there. Bounded: each is kept once. */
  readonly #waitingSignals = new Set<(typeof PASSED_SIGNALS)[number]>();
  #finish: (exitCode: number) => void = () => {};

  constructor(request: RunRequest) {
    this.#request = request;
  }

  async run(): Promise<number> {
    // The reader of the output may have gone; the job continues.
    process.stdout.on('error', () => {});
    process.stderr.on('error', () => {});
    const ended = new Promise<number>((resolve) => {
      this.#finish = resolve;
    });
    for (const signal of PASSED_SIGNALS) process.on(signal, () => this.#onSignal(signal));
    try {
      await this.#connectAtFirst();
    } catch (error) {
      process.stderr.write(`cairn run: ${noAgentText(this.#request.dataFolder, error)}\n`);
      return EXIT_NO_AGENT;
    }
    const exitCode = await ended;
    await Promise.all([flushed(process.stdout), flushed(process.stderr)]);
    return exitCode;
  }

  async #connectAtFirst(): Promise<void> {
    const untilMs = performance.now() + STARTING_MS;
    for (;;) {
      try {
        return await this.#connect();
      } catch (error) {
        if (isForbidden(error) || performance.now() > untilMs) throw error;
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  }

  async #connect(): Promise<void> {
    this.#link = await connectAgent(this.#request.dataFolder, {
      onReply: (reply, link) => this.#onReply(reply, link),
      onClose: () => this.#onClose(),
    });
    this.#link.send(this.#hello());
    for (const signal of this.#waitingSignals) this.#link.send({ type: 'signal', job: this.#request.id, signal });
    this.#waitingSignals.clear();
  }

  #hello(): Request {
    const shown: Shown = { ...this.#shown };
    if (this.#isAttached) return { type: 'attach', job: this.#request.id, shown };
    const { dataFolder: _, ...asked } = this.#request;
    return { type: 'run', spec: { ...asked, ...callerOf(process) }, shown };
  }

  #onReply(reply: Reply, link: LinkControl): void {
    switch (reply.type) {
      case 'attached':
        this.#isAttached = true;
        return;
      case 'note':
        process.stderr.write(`cairn run: ${reply.text}\n`);
        return;
      case 'output': {
        const bytes = Buffer.from(reply.data, 'base64');
        this.#shown[reply.stream] = reply.offset + bytes.byteLength;
        if (process[reply.stream].write(bytes)) return;
        link.pause();
        process[reply.stream].once('drain', () => link.resume());
        return;
      }
      case 'end':
        this.#link?.close();
        this.#link = null;
        if (reply.message !== null) process.stderr.write(`cairn run: ${reply.message}\n`);
        this.#finish(reply.exitCode);
        return;
      default:
    }
  }

  #onClose(): void {
    if (this.#link === null) return;
    this.#link = null;
    void this.#comeBack();
  }

  async #comeBack(): Promise<void> {
    const sinceMs = Date.now();
    let isSaid = false;
    while (this.#link === null) {
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      if (this.#hasLeft) return;
      try {
        await this.#connect();
      } catch {
        if (isSaid || Date.now() - sinceMs < SAY_GONE_AFTER_MS) continue;
        isSaid = true;
        process.stderr.write(
          'cairn run: the agent has stopped; the job continues, and this command resumes when the agent is back\n',
        );
      }
    }
  }

  #onSignal(signal: (typeof PASSED_SIGNALS)[number]): void {
    if (this.#link) this.#link.send({ type: 'signal', job: this.#request.id, signal });
    else if (this.#isAttached && ENDING.has(signal)) this.#onEnding(signal);
    else this.#waitingSignals.add(signal);
  }

  /** A person who sends it twice while the agent is away wants to be rid of the command. */
  #onEnding(signal: (typeof PASSED_SIGNALS)[number]): void {
    if (this.#waitingSignals.has(signal)) {
      process.stderr.write('cairn run: left; the job continues, and the agent is away\n');
      this.#hasLeft = true;
      this.#finish(EXIT_NO_AGENT);
      return;
    }
    this.#waitingSignals.add(signal);
    const again = `${signal} again ends this command and leaves the job running`;
    process.stderr.write(`cairn run: the agent is away; it gets ${signal} when it is back. ${again}\n`);
  }
}

/** Waiting does not help. */
function isForbidden(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'EACCES' || code === 'EPERM';
}

function noAgentText(dataFolder: string, error: unknown): string {
  if (isForbidden(error)) {
    return `no permission for the agent's socket in ${dataFolder}: join the group cairn, or use --data-dir DIR`;
  }
  return (
    `no agent runs with the data folder ${dataFolder} (${(error as NodeJS.ErrnoException).code ?? String(error)}): start one with ` +
    `cairn agent --server URL --data-dir ${dataFolder}, or give its folder with --data-dir DIR`
  );
}

function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.writableLength === 0 || stream.destroyed) resolve();
    else stream.write('', () => resolve());
  });
}
