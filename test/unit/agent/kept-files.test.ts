/**
 * Jobs and images outlive the version of the agent that made them. What the first version keeps on disk stands here as it
 * was written, and every later one must read it. Never change a text in here: add another one beside it.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { processIdOf, tryProcessId, tryText } from '../../../agent/base/process-id.ts';
import { systemTimers } from '../../../agent/base/timers.ts';
import { Copy } from '../../../agent/copies/copy.ts';
import { findShim } from '../../../agent/copies/shim-program.ts';
import { manifestSchema } from '../../../agent/images/manifest.ts';
import { newRecord, tryReadRecord } from '../../../agent/jobs/job-record.ts';
import { JobFolder } from '../../../agent/output/job-folder.ts';
import { OutputShipper } from '../../../agent/output/output-shipper.ts';
import { readPlan } from '../../../agent/podman/container-plan.ts';
import { UpdateSpool } from '../../../agent/updates/update-spool.ts';
import { readRequest } from '../../../agent/wire/wire.ts';
import { until } from '../../support/api.ts';
import { temporaryFolder } from './temporary-folder.ts';

const SPEC =
  '{"id":"j","queueName":"q","name":"sh","cpus":1,"memoryInMB":null,"batchJobIds":[],"engine":"auto","fresh":"last",' +
  '"argv":["sh","-c","exit 7"],"env":{"PATH":"/bin"},"cwd":"/w","uid":0,"gid":0,"groups":[0],"umask":18,' +
  '"limits":[{"resource":7,"soft":"1024","hard":"u"}]}';

const RECORD =
  `{"spec":${SPEC},"epoch":3,"phase":"running","copyNumber":2,"copyId":"n-3-2","bootId":"b","engine":"criu","stop":null,` +
  '"image":"2-1","dump":{"pid":4711,"start":"123"},"isSaving":true,"dumpCutOffMs":0,"startedMs":1767225600000,' +
  '"lastCheckpointMs":1767225601000,"lastEventMs":1767225601000,"outbox":[{"timestamp":"2026-01-01T00:00:01.000Z",' +
  '"nodeOid":"i-1","containerId":"n-3-2","eventType":"Job-Checkpointing"}],"segments":{"stdout":[{"nodeId":"n","start":0}],' +
  '"stderr":[{"nodeId":"n","start":0}]},"exitCode":null,"message":null,"endedMs":0}\n';

const MANIFEST =
  '{"format":1,"job":"j","epoch":3,"number":1,"time":"2026-01-01T00:00:01.000Z","nodeId":"n","kernel":"6.1","arch":"x86_64",' +
  '"cpuFeatures":["avx2"],"executables":[{"path":"/usr/lib/cairn/bundle/agent/shim/cairn-shim-0123456789ab","bytes":9,' +
  '"buildId":null}],"tcpClose":false,"cwd":"/w","ckptFiles":[],"engine":"criu","engineVersion":"4.2.1",' +
  '"shim":"/usr/lib/cairn/bundle/agent/shim/cairn-shim-0123456789ab",' +
  `"files":{"pages-1.img.blocks":{"sha256":"${'0'.repeat(64)}","bytes":32}},"lastEventMs":1767225601000,` +
  '"output":{"stdout":{"path":"/d/jobs/j/stdout.log","segments":[{"nodeId":"n","start":0}],"length":5,"acknowledged":4},' +
  '"stderr":{"path":"/d/jobs/j/stderr.log","segments":[{"nodeId":"n","start":0}],"length":0,"acknowledged":0}},' +
  '"openFiles":[{"path":"/w/own.txt","bytes":5}],' +
  '"stages":{"frozenMs":9.5,"dumpMs":12,"storeMs":30,"imageBytes":4096,"storedBytes":32}}';

const UPDATE =
  '{"id":"j","queueName":"q","epoch":3,"name":"sh","cpus":1,"events":[{"timestamp":"2026-01-01T00:00:01.000Z",' +
  '"nodeOid":"i-1","containerId":"n-3-2","eventType":"Job-Running"}]}\n';

const PLAN =
  '{"podman":{"path":"/usr/bin/podman","version":"4.3.1","options":["--runtime","/usr/sbin/runc"],"path_":"/bin"},' +
  '"name":"cairn-j-n-3-2","start":{"archive":"/d/jobs/j/restore.tar"},"env":{},"begins":{"stdout":3,"stderr":0}}';

test('the files of a shim of the first version tell how its copy goes, and more in them does no harm', (t) => {
  const folder = temporaryFolder(t);
  const self = processIdOf(process.pid);
  assert.ok(self);
  writeFileSync(join(folder, 'shim'), `${self.pid} ${self.start}\n`);
  writeFileSync(join(folder, 'started'), `${self.pid} ${self.start} version-2\n`);
  const copy = new Copy(folder);
  assert.deepEqual([copy.shim, copy.init, copy.end()], [self, self, null]);
  assert.equal(tryProcessId(`${self.pid} `), null);
  const ends = ['code 7', 'signal 9', 'unstartable exec 2', 'unrestorable 1', 'lost'].map((text) => {
    writeFileSync(join(folder, 'exit'), `${text}\n`);
    return copy.end();
  });
  assert.deepEqual(ends, [
    { kind: 'code', code: 7 },
    { kind: 'signal', signal: 9 },
    { kind: 'unstartable', step: 'exec', errno: 2 },
    { kind: 'unrestorable', code: 1 },
    { kind: 'lost' },
  ]);
});

test('a record of the first version is a whole one, whatever fields were added since', (t) => {
  const path = join(temporaryFolder(t), 'job.json');
  writeFileSync(path, RECORD);
  const record = tryReadRecord(path);
  assert.ok(record);
  assert.deepEqual(record, { ...newRecord(record.spec, 3, 0), ...JSON.parse(RECORD) });
  writeFileSync(path, `{"spec":${SPEC},"epoch":3,"phase":"running","ofLater":1}`);
  assert.deepEqual(tryReadRecord(path), { ...newRecord(JSON.parse(SPEC), 3, 0), phase: 'running', ofLater: 1 });
});

test('updates that an earlier version could not send, and how far it had shipped the output, are gone on with', (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'jobs.ndjson'), UPDATE.repeat(2));
  writeFileSync(join(folder, 'jobs.sent'), String(UPDATE.length));
  const spool = new UpdateSpool(folder);
  assert.deepEqual(spool.peek().updates, [JSON.parse(UPDATE)]);
  spool.close();
  const job = new JobFolder(folder, 'j');
  job.make();
  writeFileSync(join(job.path, 'output.json'), '{"stdout":{"acknowledged":5,"difference":2},"stderr":{}}\n');
  const post = async (): Promise<never> => assert.fail('nothing is shipped here');
  const shipper = new OutputShipper({ post, isUp: () => false, timers: systemTimers });
  const output = shipper.add('j', job);
  t.after(() => shipper.stop());
  assert.deepEqual(output.stdout.state, { acknowledged: 5, difference: 2, mustCut: false });
  assert.deepEqual(output.stderr.state, { acknowledged: 0, difference: 0, mustCut: false });
});

test('images and containers of the first version are understood', (t) => {
  assert.deepEqual(manifestSchema.parse(JSON.parse(MANIFEST)), JSON.parse(MANIFEST));
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'container.json'), PLAN);
  assert.deepEqual(readPlan(folder), JSON.parse(PLAN));
});

test('a cairn run of the first version is understood by the agent that takes over', () => {
  const shown = '"shown":{"stdout":3,"stderr":0}';
  for (const line of [
    `{"type":"run","spec":${SPEC},${shown}}`,
    `{"type":"attach","job":"j",${shown}}`,
    '{"type":"signal","job":"j","signal":"SIGTERM"}',
    '{"type":"checkpoint","job":"j"}',
    '{"type":"list"}',
  ])
    assert.deepEqual(readRequest(line), JSON.parse(line));
});

/** The record of a dump that has stopped one process and has not begun to change it. */
function heldRecord(pid: number, start: string): Buffer {
  const bytes = Buffer.alloc(16 + 120);
  bytes.write('HOLD01', 'latin1');
  bytes.writeInt32LE(pid, 8);
  bytes.writeInt32LE(1, 12);
  bytes.writeInt32LE(pid, 16);
  bytes.writeInt32LE(pid, 20);
  bytes.writeBigUInt64LE(BigInt(start), 24);
  return bytes;
}

const stateOf = (pid: number): string => /\) (\S)/.exec(tryText(`/proc/${pid}/stat`))?.[1] ?? '';

test('a job that stands still for a dump of the first version goes on, whichever version finds it', async (t) => {
  const folder = temporaryFolder(t);
  const found = await findShim(folder);
  if ('missing' in found || found.hold === null) return t.skip('not run: there is no C compiler for x86-64');
  const job = spawn('sleep', ['600'], { stdio: 'ignore' });
  t.after(() => job.kill('SIGKILL'));
  const pid = job.pid as number;
  process.kill(pid, 'SIGSTOP');
  const becomes = (fits: (state: string) => boolean, what: string): Promise<string> =>
    until(async () => stateOf(pid), fits, what);
  await becomes((state) => state === 'T', 'the job to stand still');
  const record = join(folder, 'dump.held');
  writeFileSync(record, heldRecord(pid, processIdOf(pid)?.start ?? ''));
  execFileSync(found.hold, ['release', '--record', record], { timeout: 20_000 });
  await becomes((state) => state !== 'T', 'the job to go on');
  assert.ok(!existsSync(record));
});
