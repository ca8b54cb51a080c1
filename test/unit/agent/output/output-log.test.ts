import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Outcome } from '../../../../agent/link/outcome.ts';
import { NEW_OUTPUT, OutputLog, type OutputState } from '../../../../agent/output/output-log.ts';
import { temporaryFolder } from '../temporary-folder.ts';

/** A log with its file, and a server that takes bytes at its own end only, as the contract says. */
function world(t: TestContext, state: OutputState = NEW_OUTPUT) {
  const path = join(temporaryFolder(t), 'stdout.log');
  writeFileSync(path, '');
  const log = new OutputLog(path, state);
  const server = { text: '', calls: 0 };
  const post = async (_path: string, offset: number, bytes: Uint8Array, cut: boolean): Promise<Outcome> => {
    server.calls++;
    if (cut && offset <= server.text.length) server.text = server.text.slice(0, offset);
    if (offset !== server.text.length) return { type: 'conflict', size: server.text.length };
    server.text += Buffer.from(bytes).toString();
    return { type: 'accepted', json: {} };
  };
  /** What a restore does: the file ends where the image was taken. */
  const cutTo = (length: number): void => {
    truncateSync(path, length);
    log.cutTo(length);
  };
  const ship = async (): Promise<void> => {
    for (let steps = 0; steps < 10 && (await log.step(post)) !== 'idle'; steps++);
    assert.equal(server.text, readFileSync(path, 'utf8'));
  };
  return { path, log, server, post, cutTo, ship };
}

test('what is written is shipped once, and a job that was never cut costs no call more', async (t) => {
  const { path, log, server, ship } = world(t);
  log.cutTo(0);
  await ship();
  assert.equal(server.calls, 0);
  appendFileSync(path, 'one\n');
  await ship();
  appendFileSync(path, 'two\n');
  await ship();
  assert.equal(server.calls, 2);
});

test('a cut while a chunk is on its way holds, whether or not the chunk was acknowledged before', async (t) => {
  for (const length of [2, 4, 6]) {
    const { path, log, post, cutTo, ship } = world(t);
    writeFileSync(path, 'abcd');
    await log.step(post);
    appendFileSync(path, 'efgh');
    await log.step(async (...call) => {
      const outcome = await post(...call);
      cutTo(length);
      appendFileSync(path, 'XYZ');
      return outcome;
    });
    await ship();
  }
});

test('a chunk whose answer was lost is cut back with the file, also by an agent that is started after it', async (t) => {
  const { path, log, post, cutTo, ship } = world(t);
  writeFileSync(path, 'abcd');
  await log.step(post);
  appendFileSync(path, 'efgh');
  const lost: Outcome = { type: 'later', reason: 'the answer is lost', retryAfterMs: null };
  await log.step(async (...call) => post(...call).then(() => lost));
  cutTo(6);
  appendFileSync(path, 'XYZ');
  await ship();

  const next = world(t, { acknowledged: 4, difference: 0, mustCut: false });
  writeFileSync(next.path, 'abcdefgh');
  next.server.text = 'abcdefgh';
  next.cutTo(6);
  appendFileSync(next.path, 'XYZ');
  await next.ship();
});

test('a server that has lost the log gets it again, also right after a cut', async (t) => {
  const { path, log, server, post, cutTo, ship } = world(t);
  writeFileSync(path, 'abcdefgh');
  await log.step(post);
  server.text = 'ab';
  cutTo(6);
  await ship();
});

test('a file that was lost begins again behind what the image knows, and what the server has beyond goes', async (t) => {
  const { path, log, server, post } = world(t);
  server.text = 'abcdefgh';
  rmSync(path);
  log.beginAt(6);
  writeFileSync(path, 'XYZ');
  for (let steps = 0; steps < 10 && (await log.step(post)) !== 'idle'; steps++);
  assert.equal(server.text, 'abcdefXYZ');
});
