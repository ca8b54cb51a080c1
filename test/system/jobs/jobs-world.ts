/** A server, agents with a shared image folder, and jobs that count: what the tests of jobs under the agent begin with. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Api, until, within } from '../../support/api.ts';
import { criuEnv } from '../../support/criu.ts';
import { freePort } from '../../support/network/free-port.ts';
import { ServerProcess } from '../../support/server-process.ts';
import { AgentProcess } from '../agent-process.ts';
import { JobRun } from './job-run.ts';

/**
 * Lines of Python that wait for a file: a job's last step waits for its gate, so that a machine that is busy does not end the
 * job before the test has done to it what it wants to do.
 */
export const waitFor = (gate: string): string => `
def wait_for_gate():
    import os, time
    while not os.path.exists('${gate}'):
        time.sleep(0.05)
`;

/** Writes a number a line, to standard output and to a file of its own, and ends with 7. */
export const counter = (gate: string): string => `${waitFor(gate)}
import sys, time
own = open('own.txt', 'a')
last = int(sys.argv[1])
for n in range(1, last + 1):
    if n == last:
        wait_for_gate()
    print(n, flush=True)
    print(n, file=own, flush=True)
    time.sleep(0.05)
sys.exit(7)
`;

export class JobsWorld {
  readonly folder: string;
  server: ServerProcess;
  readonly api: Api;
  /** What agents and `cairn run` are started with from now on, if not this tree's. */
  program: string | undefined;
  readonly #agents = new Map<string, AgentProcess>();
  readonly #runs: JobRun[] = [];
  readonly #port: number;

  private constructor(folder: string, server: ServerProcess, port: number) {
    this.folder = folder;
    this.server = server;
    this.#port = port;
    this.api = new Api(server.address);
  }

  static async start(settings: Readonly<Record<string, string>> = {}): Promise<JobsWorld> {
    const folder = await mkdtemp(join(tmpdir(), 'cairn-jobs-'));
    const port = await freePort();
    const server = await ServerProcess.start({ addr: `http://127.0.0.1:${port}` });
    const world = new JobsWorld(folder, server, port);
    await mkdir(world.work);
    const answer = await world.api.configKv({
      'node.heartbeat': '1s',
      'node.ttl': '4s',
      'ckpt.ckptImagePath': world.images,
      ...settings,
    });
    assert.equal(answer.status, 200, answer.text);
    return world;
  }

  get images(): string {
    return join(this.folder, 'images');
  }

  get work(): string {
    return join(this.folder, 'work');
  }

  /** Resolves when it is registered and has found its engine. */
  async agent(
    name: string,
    env: Readonly<Record<string, string>> = {},
    launcher: readonly string[] = [],
  ): Promise<AgentProcess> {
    const agent = new AgentProcess({
      server: this.server.address,
      dataFolder: this.data(name),
      args: ['--id', name],
      env: { ...criuEnv(), ...env },
      launcher,
      ...this.#ofProgram,
    });
    this.#agents.set(name, agent);
    await until(
      async () => agent.log,
      (log) => /jobs (can be|run, but)/.test(log) && /registered as/.test(log),
      `the agent ${name} to be ready`,
    );
    return agent;
  }

  agentOf(name: string): AgentProcess {
    return this.#agents.get(name) ?? assert.fail(`there is no agent ${name}`);
  }

  data(name: string): string {
    return join(this.folder, name);
  }

  run(node: string, id: string, command: readonly string[], args: readonly string[] = []): JobRun {
    const run = new JobRun({
      dataFolder: this.data(node),
      args: ['--job', id, ...args],
      command,
      cwd: this.work,
      ...this.#ofProgram,
    });
    this.#runs.push(run);
    return run;
  }

  get #ofProgram(): { readonly program?: string } {
    return this.program === undefined ? {} : { program: this.program };
  }

  /** Its last number waits for `letEnd`. */
  count(node: string, id: string, to: number, args: readonly string[] = []): JobRun {
    return this.run(node, id, ['/usr/bin/python3', '-c', counter(this.gate(id)), String(to)], args);
  }

  /** Beside the working folder: what restores that leaves it alone. */
  gate(id: string): string {
    return join(this.folder, `end-${id}`);
  }

  async letEnd(id: string): Promise<void> {
    await writeFile(this.gate(id), '');
  }

  /** Resolves when the agent has read it. */
  async set(node: string, settings: Readonly<Record<string, string>>): Promise<void> {
    const { status, text } = await this.api.configKv(settings);
    assert.equal(status, 200, text);
    const { json } = await this.api.get('/api/v1/config');
    await until(
      () => readFile(join(this.data(node), 'config.json'), 'utf8').catch(() => '{}'),
      (kept) => kept.trim() === JSON.stringify({ ckpt: json.ckpt, node: json.node, job: json.job }),
      `the agent ${node} to read ${JSON.stringify(settings)}`,
    );
  }

  /** `cairn job checkpoint`: its exit code, and what it prints. */
  async checkpoint(node: string, id: string): Promise<{ readonly code: number | null; readonly text: string }> {
    const args = ['bundle/src/main.js', 'job', 'checkpoint', id, '--data-dir', this.data(node)];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        text += chunk.toString();
      });
    }
    const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
    const code = await within(closed, `cairn job checkpoint ${id}`).finally(() => child.kill('SIGKILL'));
    return { code, text: text.trim() };
  }

  async killServer(): Promise<void> {
    await this.server.kill('SIGKILL');
  }

  async restartServer(): Promise<void> {
    this.server = await ServerProcess.start({ folders: this.server.folders, addr: `http://127.0.0.1:${this.#port}` });
  }

  /** Process ids that the shim of the job's newest copy has written. */
  async process(node: string, id: string, which: 'shim' | 'started'): Promise<number> {
    const copies = join(this.data(node), 'jobs', id, 'copies');
    const numbers = (await readdir(copies)).map(Number).filter(Number.isSafeInteger);
    const text = await readFile(join(copies, String(Math.max(...numbers)), which), 'utf8');
    return Number(text.split(' ')[0]);
  }

  /** The agent and the copy are gone at once, as with their machine. */
  async killNode(node: string, id: string): Promise<void> {
    const init = await this.process(node, id, 'started');
    await this.#agents.get(node)?.kill('SIGKILL');
    process.kill(init, 'SIGKILL');
  }

  async types(id: string): Promise<string[]> {
    const { json } = await this.api.get(`/api/v1/job/${id}`);
    return (json.events ?? []).map(({ eventType }: { eventType: string }) => eventType);
  }

  async untilEvent(id: string, type: string, count = 1): Promise<void> {
    await until(
      () => this.types(id),
      (types) => types.filter((known) => known === type).length >= count,
      `${count} ${type} of ${id}`,
    );
  }

  /** Runs it until the claim is free, for which the node that had it must be lost first; resolves when it is restored. */
  async goesOn(id: string, run: () => JobRun): Promise<JobRun> {
    for (;;) {
      const next = run();
      const code = await Promise.race([next.exited, this.untilEvent(id, 'Job-RestoreSucceeded').then(() => null)]);
      if (code === null) return next;
      assert.equal(code, 75, next.errors);
    }
  }

  async untilWriting(name = 'own.txt'): Promise<void> {
    await untilWritten(join(this.work, name));
  }

  /** Saves that began when the job wrote already. */
  async untilSaved(id: string, count = 1): Promise<void> {
    await this.untilWriting();
    const begun = (await this.types(id)).filter((type) => type === 'Job-Checkpointing').length;
    await this.untilEvent(id, 'Job-CheckpointSucceeded', begun + count);
  }

  async ownLines(): Promise<string[]> {
    return (await readFile(join(this.work, 'own.txt'), 'utf8')).trimEnd().split('\n');
  }

  /** `release` lets go of what else is in the folder, when nothing of ours runs any more. */
  async dispose(release: () => Promise<void> = async () => {}): Promise<void> {
    for (const run of this.#runs) run.kill('SIGKILL');
    await Promise.all([...this.#agents.values()].map((agent) => agent.kill('SIGKILL')));
    for (const name of this.#agents.keys()) {
      for (const id of await readdir(join(this.data(name), 'jobs')).catch(() => [])) {
        const pids = await Promise.all(
          (['shim', 'started'] as const).map((which) => this.process(name, id, which).catch(() => 0)),
        );
        for (const pid of pids.filter((known) => known > 0)) tryKill(pid);
      }
    }
    this.api.close();
    await this.server.dispose();
    await release();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}

function tryKill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

export const numbersTo = (n: number): string[] => Array.from({ length: n }, (_, i) => String(i + 1));

/**
 * What a job writes is cut back to an image in which the file is open, and Python takes a while to come to that: an image of
 * before knows nothing of the file, and its lines come twice.
 */
export async function untilWritten(path: string): Promise<void> {
  await until(
    () => readFile(path, 'utf8').catch(() => ''),
    (text) => text !== '',
    `the first line in ${path}`,
  );
}
