/** The tutorials are true: their commands are executed in order against a server that their first command starts. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Api, until } from '../support/api.ts';
import { atEnd } from '../support/at-end.ts';
import { criuEnv, withCriu } from '../support/criu.ts';
import { freePort } from '../support/network/free-port.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const ADDRESS = 'http://127.0.0.1:8080';
const PROGRAM = resolve('bundle/src/main.js');
/** What is looked at until it is as shown: a node registers a moment after the server is ready. */
const READS_ONLY = /^(curl -s '?http|tail )/;
const DEADLINE_MS = 60_000;

interface Step {
  readonly command: string;
  /** Lines, in which … stands for anything. Empty where the page shows none. */
  readonly shown: string;
}

function stepsOf(page: string): Step[] {
  const blocks = [...page.matchAll(/^```(sh|text)\n([\s\S]*?)^```$/gm)].map(([, kind, text]) => ({ kind, text }));
  return blocks.flatMap(({ kind, text = '' }, i) => {
    if (kind !== 'sh') return [];
    const next = blocks[i + 1];
    return [{ command: text, shown: next?.kind === 'text' ? (next.text ?? '') : '' }];
  });
}

/** The first shown line that does not stand in the output behind the lines before it; undefined where all do. */
function missingLine(output: string, shown: string): string | undefined {
  const lines = output.split('\n').map((line) => line.trim());
  let from = 0;
  for (const line of shown.split('\n').map((text) => text.trim())) {
    if (line === '') continue;
    const pattern = new RegExp(`^${line.split('…').map(escaped).join('.*')}$`);
    const at = lines.findIndex((text, i) => i >= from && pattern.test(text));
    if (at === -1) return line;
    from = at + 1;
  }
  return undefined;
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** A command that does not end is ended with everything it started in the foreground, and its code is null. */
function run(program: string, args: readonly string[], cwd: string): Promise<{ output: string; code: number | null }> {
  const child = spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const late = setTimeout(() => process.kill(-(child.pid as number), 'SIGKILL'), DEADLINE_MS);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return new Promise((done) =>
    child.once('close', (code) => {
      clearTimeout(late);
      done({ output, code });
    }),
  );
}

/** `npm start`, in a folder of its own and on a port of its own. Resolves with what it printed until it was ready. */
async function start(t: TestContext, cwd: string, address: string): Promise<string> {
  const child = spawn(process.execPath, [PROGRAM, 'start', '--addr', address], {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...criuEnv() },
  });
  const ended = new Promise<number | null>((done) => child.once('exit', done));
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
  atEnd(t, async () => {
    child.kill('SIGTERM');
    await ended;
  });
  // A person takes longer to the next command than this machine's agent to be there.
  const socket = join(cwd, '.cairn', 'agent', 'agent.sock');
  return until(
    async () => {
      if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}; it said: ${said}`);
      return said;
    },
    (text) => text.includes('cairn ready') && existsSync(socket),
    'the server and the agent beside it',
    DEADLINE_MS,
  );
}

/** Runs the commands of a page in order, in a folder of its own, against a server that the first one starts. */
async function follow(t: TestContext, page: string): Promise<{ readonly cwd: string; readonly api: Api }> {
  const cwd = temporaryFolder(t);
  const address = `http://127.0.0.1:${await freePort()}`;
  const here = (text: string): string => text.replaceAll(ADDRESS, address);
  const [first, ...rest] = stepsOf(readFileSync(page, 'utf8')) as [Step, ...Step[]];
  assert.equal(first.command, 'npm start\n');
  assert.equal(missingLine(await start(t, cwd, address), here(first.shown)), undefined);
  const api = new Api(address);
  atEnd(t, () => api.close());
  assert.ok(rest.length >= 5);
  for (const { command, shown } of rest) {
    const program = `'${process.execPath}' '${PROGRAM}'`;
    const script = here(command)
      .replaceAll('npx cairn fleet', `${program} fleet --server ${address}`)
      .replaceAll('npx cairn', program);
    const once = async (): Promise<string> => {
      const { output, code } = await run('bash', ['-euc', script], cwd);
      assert.equal(code, 0, `${command}ended with ${code}: ${output}`);
      return output;
    };
    const isShown = (output: string): boolean => missingLine(output, here(shown)) === undefined;
    const output = READS_ONLY.test(command)
      ? await until(once, isShown, `the output of ${command}`, DEADLINE_MS)
      : await once();
    assert.equal(missingLine(output, here(shown)), undefined, `${command}printed ${output.slice(0, 2_000)}`);
  }
  return { cwd, api };
}

test('the commands of the tutorial do what the page shows', async (t) => {
  const { cwd, api } = await follow(t, 'docs/guide/tutorial.md');
  assert.match((await api.get('/')).text, /<html/, 'the dashboard is there');
  const stored = readFileSync(join(cwd, '.cairn', 'data', 'config.json'), 'utf8');
  assert.match(stored, /"ttl": ?"1m0s"/, 'the data is where the page says');
});

test('the first saved job is saved, killed and goes on as its page shows', withCriu(), async (t) => {
  await follow(t, 'docs/guide/first-saved-job.md');
});

test('a line that a command does not print is found', () => {
  assert.equal(missingLine('a,b\n1,2\n', 'a,b\n1,…\n'), undefined);
  assert.equal(missingLine('a,b\n1,2\n', 'a,b\n3,…\n'), '3,…');
  assert.equal(missingLine('1,2\na,b\n', 'a,b\n1,2\n'), '1,2', 'in another order');
  assert.equal(missingLine('a.b', 'a+b'), 'a+b');
  assert.deepEqual(stepsOf('```sh\nx\n```\n\n```text\ny\n```\n\n```sh\nz\n```\n'), [
    { command: 'x\n', shown: 'y\n' },
    { command: 'z\n', shown: '' },
  ]);
});
