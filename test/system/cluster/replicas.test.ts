/** Three writers over three real engines: nothing acknowledged is lost, and all of them have the same. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { until } from '../../support/api.ts';
import { Engines, enginesAbsent } from '../../support/cluster/engines.ts';
import { untilOneLeads, WriterProcess } from '../../support/cluster/writer-process.ts';

const absent = enginesAbsent();
const REFUSED = 'Not the leader';

describe('writers of a cluster', { skip: absent ?? false, timeout: 240_000 }, () => {
  let engines: Engines;
  let writers: WriterProcess[];
  const acknowledged = new Map<string, string>();

  before(async () => {
    engines = await Engines.start(3, 'replicas');
    writers = ['a', 'b', 'c'].map((id) => new WriterProcess(id, engines.addresses, 'replicas'));
    await Promise.all(writers.map((writer) => writer.start()));
  });

  after(async () => {
    await Promise.all(writers.map((writer) => writer.end()));
    await engines.stop();
  });

  it('have one leader, which takes writes; the others refuse them', async () => {
    const leader = await untilOneLeads(writers);
    for (let i = 0; i < 50; i++) await put(leader, `key-${i}`, `value-${i}`);
    const others = writers.filter((writer) => writer !== leader);
    for (const other of others) await assert.rejects(other.ask('put', { key: 'x', text: 'y' }), /Not the leader/);
    await allAlike();
  });

  it('apply a group that is larger than a message of the engine whole', async () => {
    const leader = await untilOneLeads(writers);
    await leader.ask('put', { key: 'large', text: 'large', size: 3_000_000 });
    await allAlike();
  });

  it('write what is appended to a log of a node', async () => {
    const leader = await untilOneLeads(writers);
    await leader.ask('log', { key: 'var/log/job.log', text: 'first\n', size: 0 });
    await leader.ask('log', { key: 'var/log/job.log', text: 'second\n', size: 6 });
    await Promise.all(writers.map(barrierOf));
    for (const { logFolder } of writers)
      assert.equal(readFileSync(join(logFolder, 'nodes/node-1/var/log/job.log'), 'utf8'), 'first\nsecond\n');
  });

  it('go on under another leader when it is killed, with all that was acknowledged', async () => {
    const leader = await untilOneLeads(writers);
    const kept = writers.filter((writer) => writer !== leader);
    const writing = writeUntilItFails(leader, 'before');
    await leader.kill();
    await writing;
    const next = await untilOneLeads(kept);
    await put(next, 'after', 'the leader');
    await leader.start();
    await allAlike();
  });

  it('acknowledge nothing of a leader that was stopped while another took over', async () => {
    const leader = await untilOneLeads(writers);
    const others = writers.filter((writer) => writer !== leader);
    leader.signal('SIGSTOP');
    const next = await untilOneLeads(others);
    await put(next, 'while-stopped', 'x');
    const late = assert.rejects(leader.ask('put', { key: 'late', text: 'x' }), /Not the leader/);
    leader.signal('SIGCONT');
    await late;
    await allAlike();
  });

  it('keep what is acknowledged while an engine is killed', async () => {
    const leader = await untilOneLeads(writers);
    const writing = writeSome(leader, 'engine', 200);
    await engines.kill(0);
    await writing;
    await engines.run(0);
    await allAlike();
  });

  /** A writer that has just been superseded refuses until it knows who leads. */
  async function barrierOf(writer: WriterProcess): Promise<void> {
    await until(
      () =>
        writer.ask('barrier').catch((error: Error) => {
          if (error.message !== REFUSED) throw error;
          return REFUSED;
        }),
      (answer) => answer !== REFUSED,
      'the barrier',
      30_000,
    );
  }

  async function put(writer: WriterProcess, key: string, text: string): Promise<void> {
    await writer.ask('put', { key, text });
    acknowledged.set(key, text);
  }

  async function writeUntilItFails(writer: WriterProcess, prefix: string): Promise<void> {
    for (let i = 0; ; i++) {
      try {
        await put(writer, `${prefix}-${i}`, 'x');
      } catch {
        return;
      }
    }
  }

  /** What is not acknowledged is written again, at the leader of the moment. */
  async function writeSome(first: WriterProcess, prefix: string, count: number): Promise<void> {
    let leader = first;
    for (let i = 0; i < count; ) {
      try {
        await put(leader, `${prefix}-${i}`, 'x');
        i++;
      } catch {
        leader = await untilOneLeads(writers);
      }
    }
  }

  async function allAlike(): Promise<void> {
    const leader = await untilOneLeads(writers);
    const { applied } = leader.status ?? { applied: 0 };
    await Promise.all(
      writers.map((writer) =>
        writer.until((status) => status.role !== 'catching-up' && status.applied >= applied, 'follows'),
      ),
    );
    await Promise.all(writers.map(barrierOf));
    const digests = await Promise.all(writers.map((writer) => writer.ask('digest')));
    const rows = Number(/^definition (\d+)/m.exec(digests[0] ?? '')?.[1]);
    assert.ok(rows >= acknowledged.size, `${rows} rows, ${acknowledged.size} acknowledged`);
    const tables = digests.map((digest) => digest.replace(/^position .*\n/, '').replace(/^meta .*\n/m, ''));
    assert.equal(tables[1], tables[0]);
    assert.equal(tables[2], tables[0]);
  }
});
