/** Jobs under the agent, without checkpoints: run, exit codes, output, signals, adoption, a server that is away. */
import assert from 'node:assert/strict';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { connectAgent } from '../../../agent/run/agent-link.ts';
import type { Reply } from '../../../agent/wire/wire.ts';
import { until } from '../../support/api.ts';
import { JobRun } from './job-run.ts';
import { JobsWorld, numbersTo } from './jobs-world.ts';

let world: JobsWorld;

before(async () => {
  world = await JobsWorld.start();
  await world.agent('one');
});

after(() => world.dispose());

const shell = (id: string, script: string, args: readonly string[] = []): JobRun =>
  world.run('one', id, ['sh', '-c', script], args);

test('a job has the exit code, the output, the folder and the environment of its command', async () => {
  const run = new JobRun({
    dataFolder: world.data('one'),
    args: ['--job', 'plain', '--queue', 'q/one', '--engine', 'none'],
    command: ['sh', '-c', 'pwd; echo "$COLOUR"; echo bad >&2; read line; exit 5'],
    cwd: world.work,
    env: { COLOUR: 'green', AWS_BATCH_JOB_ID: 'batch-1' },
  });
  assert.equal(await run.exited, 5);
  assert.equal(run.output, `${world.work}\ngreen\n`);
  assert.equal(run.errors, 'bad\n');
  await world.untilEvent('plain', 'Job-Failed');
  assert.deepEqual(await world.types('plain'), ['Job-Creating', 'Job-Created', 'Job-Running', 'Job-Failed']);
  const { json } = await world.api.get('/api/v1/job/plain');
  assert.equal(json.queueName, 'q/one');
  assert.deepEqual(json.batchJobIds, ['batch-1']);
  const path = `${world.data('one')}/jobs/plain/stdout.log`;
  await until(
    () => world.api.get(`/nodes/one${path}`),
    ({ text }) => text === run.output,
    'the output to be shipped',
  );
});

test('a command that is not there gives 127, a signal to cairn run stops the job, usage and no agent are told apart', async () => {
  const missing = world.run('one', 'missing', ['no-such-command']);
  assert.equal(await missing.exited, 127);
  assert.match(missing.errors, /^cairn run: no-such-command: command not found$/m);
  await world.untilEvent('missing', 'Job-Failed');
  const away = { code: 3, text: 'cairn job checkpoint: the job missing does not run here' };
  assert.deepEqual(await world.checkpoint('one', 'missing'), away);
  const long = shell('long', 'sleep 100');
  await world.untilEvent('long', 'Job-Running');
  long.kill('SIGTERM');
  assert.equal(await long.exited, 143);
  await world.untilEvent('long', 'Job-Stopped');
  assert.equal(await shell('not an id', 'true').exited, 2);
  assert.equal(await world.run('nowhere', 'x', ['true']).exited, 69);
});

test('cairn run waits for an agent that starts beside it', async () => {
  const run = world.run('late', 'early', ['sh', '-c', 'exit 4']);
  await world.agent('late');
  assert.equal(await run.exited, 4);
});

test('an agent that is killed and started again finds the job, its output and its exit code', async () => {
  const run = world.count('one', 'adopted', 20);
  await world.untilEvent('adopted', 'Job-Running');
  const shim = await world.process('one', 'adopted', 'shim');
  const agent = world.agentOf('one');
  await agent.kill('SIGKILL');
  await world.agent('one');
  assert.equal(await world.process('one', 'adopted', 'shim'), shim, 'the same copy');
  await world.letEnd('adopted');
  assert.equal(await run.exited, 7);
  assert.deepEqual(run.output.trimEnd().split('\n'), numbersTo(20));
  await world.untilEvent('adopted', 'Job-Failed');
  assert.deepEqual(await world.types('adopted'), ['Job-Creating', 'Job-Created', 'Job-Running', 'Job-Failed']);
});

test('the end of a job removes what a killed agent left of its images, and leaves what a later copy writes', async () => {
  const run = world.count('one', 'leaves', 20);
  await world.untilEvent('leaves', 'Job-Running');
  const folder = join(world.images, 'leaves');
  for (const name of ['.tmp-1-4', '.tmp-gone-1-3', '.tmp-2-1'])
    await mkdir(join(folder, name, 'dump'), { recursive: true });
  await world.letEnd('leaves');
  assert.equal(await run.exited, 7);
  const unfinished = async (): Promise<string[]> => (await readdir(folder)).filter((name) => name.startsWith('.tmp-'));
  await until(unfinished, (names) => names.length < 2, 'what was left to be removed');
  assert.deepEqual(await unfinished(), ['.tmp-2-1']);
});

test('a job that ends while no agent runs has its exit code told by the next one', async () => {
  const run = shell('orphan', 'sleep 0.5; exit 9');
  await world.untilEvent('orphan', 'Job-Running');
  const init = await world.process('one', 'orphan', 'started');
  await world.agentOf('one').kill('SIGKILL');
  await until(
    async () => isAlive(init),
    (alive) => !alive,
    'the job to end',
  );
  await world.agent('one');
  assert.equal(await run.exited, 9);
});

test('the same signal twice ends a command whose agent is away, and the job goes on', async () => {
  const run = world.count('one', 'left', 20);
  await world.untilEvent('left', 'Job-Running');
  await world.agentOf('one').kill('SIGKILL');
  let code: number | null | undefined;
  void run.exited.then((exitCode) => {
    code = exitCode;
  });
  await until(
    async () => {
      run.kill('SIGINT');
      return code;
    },
    (exitCode) => exitCode !== undefined,
    'the command to end',
  );
  assert.equal(code, 69, run.errors);
  assert.match(run.errors, /the agent is away; it gets SIGINT when it is back\. SIGINT again ends this command/);
  await world.agent('one');
  const again = world.count('one', 'left', 20);
  await world.letEnd('left');
  assert.equal(await again.exited, 7, again.errors);
  assert.deepEqual(again.output.trimEnd().split('\n'), numbersTo(20));
});

test('who runs the job a second time is attached to it', async () => {
  const first = shell('twice', `echo once; until [ -e ${world.gate('twice')} ]; do sleep 0.1; done; exit 3`);
  await world.untilEvent('twice', 'Job-Running');
  const second = shell('twice', 'echo never');
  await until(
    async () => second.errors,
    (text) => text.includes('attached to the job twice'),
    'the second to be attached',
  );
  await world.letEnd('twice');
  assert.deepEqual(await Promise.all([first.exited, second.exited]), [3, 3]);
  assert.equal(second.output, 'once\n');
});

test('a job runs while the server is away, and its events arrive once and in order afterwards', async () => {
  await world.killServer();
  const run = shell('away', 'echo hello; exit 0');
  assert.equal(await run.exited, 0);
  assert.equal(run.output, 'hello\n');
  await world.restartServer();
  await world.untilEvent('away', 'Job-Succeeded');
  assert.deepEqual(await world.types('away'), ['Job-Creating', 'Job-Created', 'Job-Running', 'Job-Succeeded']);
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test('without a compiled shim and a compiler jobs run all the same, and say that they are not saved', async () => {
  // An engine that is well, so that no CRIU of this machine, or its want, is the reason.
  const engine = join(world.folder, 'criu-that-is-well');
  await writeFile(engine, '#!/bin/sh\ncase $1 in --version) echo "Version: 4.2" ;; esac\n', { mode: 0o755 });
  await world.agent('bare', { CAIRN_SHIM: '/nowhere/shim', CAIRN_CRIU: engine });
  const run = world.run('bare', 'bare', ['sh', '-c', 'echo out; kill -TERM $$'], ['--engine', 'criu']);
  assert.equal(await run.exited, 143);
  assert.equal(run.output, 'out\n');
  const why = process.getuid?.() === 0 ? '/nowhere/shim cannot be run' : 'the agent does not run as root';
  assert.ok(run.errors.includes(`cannot be checkpointed: ${why}`), run.errors);
  assert.equal(await world.run('bare', 'bare-missing', ['no-such-command']).exited, 127);
});

test('a job that failed begins from scratch, and nothing of its earlier output is shown or kept', async () => {
  assert.equal(await shell('restarted', 'echo first; exit 4').exited, 4);
  const again = shell('restarted', 'echo second; exit 6');
  assert.equal(await again.exited, 6);
  assert.equal(again.output, 'second\n');
  await world.untilEvent('restarted', 'Job-Failed', 2);
});

test('the end of a job is told also by an agent that was started after it', async () => {
  assert.equal(await shell('told', 'echo late; exit 8').exited, 8);
  await world.agentOf('one').kill('SIGKILL');
  await world.agent('one');
  const replies: Reply[] = [];
  const link = await connectAgent(world.data('one'), {
    onReply: (reply) => void replies.push(reply),
    onClose: () => {},
  });
  link.send({ type: 'attach', job: 'told', shown: { stdout: 0, stderr: 0 } });
  await until(
    async () => replies,
    (all) => all.some(({ type }) => type === 'end'),
    'the end',
  );
  link.close();
  assert.ok(replies.some((reply) => reply.type === 'end' && reply.exitCode === 8));
  assert.ok(
    replies.some((reply) => reply.type === 'output' && Buffer.from(reply.data, 'base64').toString() === 'late\n'),
  );
});
