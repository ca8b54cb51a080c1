/** An engine that comes back from an older copy of its disk, as after a power cut: what it lost is published again. */
import assert from 'node:assert/strict';
import { cpSync, rmSync } from 'node:fs';
import { it } from 'node:test';
import { atEnd } from '../../support/at-end.ts';
import { Engines, enginesAbsent } from '../../support/cluster/engines.ts';
import { untilOneLeads, WriterProcess } from '../../support/cluster/writer-process.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const absent = enginesAbsent();
/** A machine that is busy with other work starts a writer in more than the 15 s for which the others would wait. */
const PATIENT = { gatheringMs: 120_000 };

it('the server with the longest history publishes what the stream has lost, before any leads', {
  skip: absent ?? false,
  timeout: 180_000,
}, async (t) => {
  const older = temporaryFolder(t);
  const engines = await Engines.start(1, 'tail');
  atEnd(t, () => engines.stop());
  const [a, b, c] = ['a', 'b', 'c'].map((id) => {
    const writer = new WriterProcess(id, engines.addresses, 'tail', PATIENT);
    atEnd(t, () => writer.end());
    return writer;
  }) as [WriterProcess, WriterProcess, WriterProcess];

  await a.start();
  await untilOneLeads([a]);
  await b.start();
  await a.ask('put', { key: 'kept', text: 'both have it' });
  await b.until(({ role, last, applied }) => role === 'follower' && applied === last && applied > 0, 'follows');
  await a.untilAnswer('members', (members) => members.includes('"b"'), 'notes its members');
  await b.kill();

  await engines.kill(0, 'SIGTERM');
  cpSync(engines.folderOf(0), older, { recursive: true });
  await engines.run(0);
  await untilOneLeads([a]);
  for (let i = 0; i < 20; i++) await putAt(a, `lost-${i}`);
  await a.kill();
  await engines.kill(0);
  rmSync(engines.folderOf(0), { recursive: true });
  cpSync(older, engines.folderOf(0), { recursive: true });
  await engines.run(0);

  // The one that has less is there first, and waits for the other.
  await b.start();
  await b.until(({ isCutOff }) => !isCutOff, 'reaches the engine');
  await a.start();
  const leader = await untilOneLeads([a, b]);
  await putAt(leader, 'after');
  await c.start();
  await c.until(({ role }) => role === 'follower', 'follows');
  await Promise.all([a, b, c].map((writer) => writer.ask('barrier')));
  const digests = await Promise.all([a, b, c].map((writer) => writer.ask('digest')));
  const definitions = digests.map((digest) => /^definition .*$/m.exec(digest)?.[0]);
  assert.match(definitions[0] ?? '', /^definition 22 /, '20 that were lost, one before, one after');
  assert.deepEqual(definitions, [definitions[0], definitions[0], definitions[0]]);
});

async function putAt(writer: WriterProcess, key: string): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      await writer.ask('put', { key, text: 'x' });
      return;
    } catch (error) {
      // The engine was away: refused until the lease is renewed.
      if (tries > 20) throw error;
      await untilOneLeads([writer]);
    }
  }
}
