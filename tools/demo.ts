/**
 * `npm run demo`: a server, two worker agents on this machine with one image folder, and a job that counts. Its node is
 * reclaimed by a notice of a made-up cloud, and the other node goes on where the job was saved. Without CRIU the job
 * starts over there, and the demo says what is missing. Everything lies in a temporary folder, which is removed.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { givenLine } from './command-line.ts';

const COUNT_TO = 100;
const JOB = 'demo-job';
const COMMAND = ['sh', '-c', `n=0; while [ $n -lt ${COUNT_TO} ]; do n=$((n+1)); echo $n; sleep 0.1; done`];
const WAIT_MS = 60_000;
const NOTICE_PATH = '/latest/meta-data/spot/instance-action';
const CRIU_BUILT = 'node_modules/.cache/criu/criu-4.2.1';

const USAGE = `npm run demo

Runs a server, two worker agents and a job on this machine, and moves the job from one node to the other.
`;

givenLine({ usage: USAGE });
const folder = mkdtempSync(join(tmpdir(), 'cairn-demo-'));
const main = resolve('bundle/src/main.js');
const children: ChildProcess[] = [];
let notice: string | null = null;

const metadata = http.createServer((request, response) => {
  const path = (request.url ?? '').split('?')[0];
  const text = request.method === 'PUT' ? 'token' : path === NOTICE_PATH ? notice : null;
  response.statusCode = text === null ? 404 : 200;
  response.end(text ?? '');
});

process.exitCode = await demo().then(
  () => 0,
  (error: Error) => {
    say(`the demo failed: ${error.message}`);
    return 1;
  },
);
for (const child of children) child.kill('SIGKILL');
metadata.close();
rmSync(folder, { recursive: true, force: true });

async function demo(): Promise<void> {
  const port = await freePort();
  const server = `http://127.0.0.1:${port}`;
  const metadataUrl = await listen();
  const log = (name: string): string => join(folder, name);
  const serving = start(['serve', '--data-dir', log('data'), '--log-dir', log('log'), '--addr', server]);
  await until(() => /cairn ready/.test(serving.text), 'the server');
  await configure(server);
  say(`a server runs at ${server} while the demo does`);
  const first = agent('node-1', server, metadataUrl);
  const second = agent('node-2', server, 'off');
  for (const each of [first, second])
    await until(() => /registered/.test(each.text) && /jobs (can|run)/.test(each.text), 'the agents');
  const missing = /jobs run, but cannot be checkpointed: (.*)/.exec(first.text)?.[1];
  say(
    missing === undefined
      ? 'two worker nodes are registered, and can save jobs'
      : `jobs cannot be saved here, the demo goes on without: ${missing}`,
  );

  const run = job('node-1');
  await until(() => lines(run.text) >= 25, 'the job to count to 25');
  say(
    `${JOB} runs on node-1 and has counted to ${lines(run.text)}; now its cloud takes the machine away, with two minutes' notice`,
  );
  notice = JSON.stringify({ action: 'terminate', time: new Date(Date.now() + 120_000).toISOString() });
  const code = await run.exited;
  say(`node-1 has stopped the job (exit code ${code}: run it elsewhere) after ${lines(run.text)} lines, and has left`);

  const again = job('node-2');
  say(`the same command on node-2: cairn run --job ${JOB} -- ...`);
  const end = await again.exited;
  const from = again.text.split('\n')[0];
  say(`node-2 went on at ${from} and counted to ${COUNT_TO}; exit code ${end}`);
  if (end !== 0) throw new Error(`the job ended with ${end}`);
  await report(server, missing === undefined);
}

async function report(server: string, wasSaved: boolean): Promise<void> {
  let found: {
    status: string;
    spotProtCount: number;
    events: { timestamp: string; eventType: string; containerId?: string }[];
  };
  for (;;) {
    found = await get(`${server}/api/v1/job/${JOB}`);
    if (found.status === 'Succeeded') break;
    await pause(100);
  }
  say('what the server knows of it:');
  for (const { timestamp, eventType, containerId } of found.events) {
    process.stdout.write(`  ${timestamp}  ${eventType.padEnd(24)} ${containerId ?? ''}\n`);
  }
  if (!wasSaved)
    return say(
      'with CRIU the second node would have gone on: sh tools/get-criu.sh builds it (as root), then run the demo again',
    );
  const series = await get(`${server}/api/v1/metricValue/system-total/metricDef-timeSaved`).catch(() => ({
    points: [],
  }));
  const saved = (series.points ?? []).reduce((sum: number, point: { value: number }) => sum + point.value, 0);
  say(`${found.spotProtCount} restore; ${saved.toFixed(1)} seconds of work did not have to be done again`);
}

async function listen(): Promise<string> {
  await new Promise<void>((done) => metadata.listen(0, '127.0.0.1', done));
  return `http://127.0.0.1:${(metadata.address() as AddressInfo).port}`;
}

async function configure(server: string): Promise<void> {
  const kvMap = {
    'node.heartbeat': '1s',
    'node.ttl': '5s',
    'ckpt.ckptMode': 'iterative',
    'ckpt.ckptInterval': '1m0s',
    'ckpt.ckptImagePath': join(folder, 'images'),
    'ckpt.cloudMonitorMode': 'true',
  };
  const answer = await fetch(`${server}/api/v1/configKV`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ kvMap }),
  });
  if (!answer.ok) throw new Error(await answer.text());
}

interface Started {
  readonly exited: Promise<number | null>;
  text: string;
}

function agent(name: string, server: string, imdsUrl: string): Started {
  return start(['agent', '--server', server, '--id', name, '--data-dir', join(folder, name)], {
    CAIRN_IMDS_URL: imdsUrl,
    CAIRN_GCP_METADATA_URL: 'off',
    CAIRN_AZURE_METADATA_URL: 'off',
    ...(existsSync(CRIU_BUILT) && !process.env['CAIRN_CRIU'] ? { CAIRN_CRIU: resolve(CRIU_BUILT) } : {}),
  });
}

function job(node: string): Started {
  return start(['run', '--data-dir', join(folder, node), '--job', JOB, '--', ...COMMAND]);
}

function start(args: readonly string[], env: Readonly<Record<string, string>> = {}): Started {
  const cwd = join(folder, 'work');
  mkdirSync(cwd, { recursive: true });
  const child = spawn(process.execPath, [main, ...args], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  const started: Started = { text: '', exited: new Promise((done) => child.once('close', done)) };
  const isRun = args[0] === 'run';
  child.stdout.on('data', (chunk: Buffer) => {
    started.text += chunk.toString();
  });
  // What an agent has to say is in its log; what cairn run has, is for the person who runs it.
  child.stderr.on('data', (chunk: Buffer) => {
    if (isRun) process.stderr.write(chunk);
    else started.text += chunk.toString();
  });
  return started;
}

async function until(holds: () => boolean, what: string): Promise<void> {
  const sinceMs = Date.now();
  while (!holds()) {
    if (Date.now() - sinceMs > WAIT_MS) throw new Error(`waited for ${what}`);
    await pause(50);
  }
}

function lines(text: string): number {
  return text.split('\n').length - 1;
}

// biome-ignore lint/suspicious/noExplicitAny: a demonstration looks at whatever came.
async function get(url: string): Promise<any> {
  return (await fetch(url)).json();
}

function freePort(): Promise<number> {
  return new Promise((done) => {
    const probe = createServer();
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => done(port));
    });
  });
}

function pause(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}

function say(text: string): void {
  process.stdout.write(`demo: ${text}\n`);
}
