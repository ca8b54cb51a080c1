/** Checkpoints by CRIU, generation after generation, and while the engine is killed in the middle of saves. */
import assert from 'node:assert/strict';
import { chmod, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { until } from '../../support/api.ts';
import { CRIU, withCriu } from '../../support/criu.ts';
import { JobsWorld, numbersTo, waitFor } from './jobs-world.ts';

let world: JobsWorld;

const SAVING = { 'ckpt.ckptMode': 'iterative', 'ckpt.ckptInterval': '500ms' };

before(async () => {
  if (withCriu().skip === false) world = await JobsWorld.start(SAVING);
});

after(() => world?.dispose());

afterEach(() => world && rm(join(world.work, 'own.txt'), { force: true }));

/** Threads and a child: each of them stops at breakpoints of the engine. No file of its own: nothing may repeat. */
const threads = (gate: string): string => `${waitFor(gate)}
import subprocess, sys, threading, time
for _ in range(4):
    threading.Thread(target=lambda: [time.sleep(0.01) for _ in range(100000)], daemon=True).start()
child = subprocess.Popen(['/bin/bash', '-c', 'while sleep 0.05; do :; done'])
last = int(sys.argv[1])
for n in range(1, last + 1):
    if n == last:
        wait_for_gate()
    print(n, flush=True)
    assert child.poll() is None
    time.sleep(0.05)
child.kill()
sys.exit(7)
`;

test('six generations in a row on one node, each after the death of the shim and a good save', withCriu(), async () => {
  await world.agent('a3');
  const run = world.count('a3', 'six', 60);
  await world.untilWriting();
  for (let generation = 0; generation < 6; generation++) {
    const before = (await world.types('six')).filter((type) => type === 'Job-CheckpointSucceeded').length;
    await world.untilEvent('six', 'Job-CheckpointSucceeded', before + 1);
    process.kill(await world.process('a3', 'six', 'shim'), 'SIGKILL');
    await world.untilEvent('six', 'Job-RestoreSucceeded', generation + 1);
  }
  await world.letEnd('six');
  assert.equal(await run.exited, 7);
  assert.deepEqual(await world.ownLines(), numbersTo(60));
  assert.deepEqual(run.output.trimEnd().split('\n'), numbersTo(60), 'shown once');
  const path = `${world.data('a3')}/jobs/six/stdout.log`;
  assert.deepEqual((await readFile(path, 'utf8')).trimEnd().split('\n'), numbersTo(60));
});

/** Stands in for CRIU: starts the real one and kills it after up to 60 ms, and now and then its own parent, the guard. */
const DYING_ENGINE = (real: string, marks: string): string => `#!/bin/sh
[ "$1" = dump ] || exec ${real} "$@"
guard=$PPID
${real} "$@" & engine=$!
sleep 0.0$(($$ % 6))
[ $(($$ % 4)) = 0 ] && kill -9 $guard
kill -9 $engine
echo x >>${marks}
kill -9 $$
`;

test(
  'an engine or its guard that is killed in the middle of any save, the first too, leaves the job running',
  withCriu(),
  async () => {
    const engine = join(world.folder, 'criu-that-dies');
    const marks = join(world.folder, 'killed');
    await writeFile(engine, DYING_ENGINE(resolve(CRIU as string), marks));
    await chmod(engine, 0o755);
    await world.agent('a4', { CAIRN_CRIU: engine });
    const run = world.run('a4', 'cut-off', ['/usr/bin/python3', '-c', threads(world.gate('cut-off')), '100']);
    await until(
      () => readFile(marks, 'utf8').catch(() => ''),
      (text) => text.length >= 8,
      'the engine to be killed four times',
    );
    await world.letEnd('cut-off');
    assert.equal(await run.exited, 7, run.errors);
    assert.deepEqual(run.output.trimEnd().split('\n'), numbersTo(100));
    await until(
      () => world.api.get('/api/v1/job/cut-off'),
      ({ json }) => json.status === 'Failed' && json.checkpoints.failures >= 2,
      'the failures to be told',
    );
    const types = await world.types('cut-off');
    assert.equal(types.filter((type) => type === 'Job-Running').length, 1, 'one copy from beginning to end');
    assert.ok(!types.includes('Job-Restoring') && !types.includes('Job-CheckpointSucceeded'));
  },
);
