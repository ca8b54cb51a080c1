import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { ensureSelfMade, pairFaults, renewSelfMade } from '../../../../src/gateway/listener/certificate.ts';
import { writePair } from '../../../support/self-made-pair.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const DAY_MS = 86_400_000;
const NOW_MS = Date.now();

function filesIn(t: TestContext): { certFile: string; keyFile: string } {
  const folder = temporaryFolder(t);
  return { certFile: join(folder, 'server.crt'), keyFile: join(folder, 'server.pem') };
}

test('a pair is made once, is good, and its key is the owner’s alone', async (t) => {
  const files = filesIn(t);
  assert.equal(await ensureSelfMade(files, NOW_MS), true);
  assert.deepEqual(await pairFaults(files, NOW_MS), []);
  assert.equal(statSync(files.keyFile).mode & 0o777, 0o600);
  const { subjectAltName } = new X509Certificate(readFileSync(files.certFile));
  assert.match(subjectAltName ?? '', /DNS:localhost/);
  assert.match(subjectAltName ?? '', /IP Address:127\.0\.0\.1/);
  assert.equal(await ensureSelfMade(files, NOW_MS), false);
});

test('a pair of our own making is made again in its last thirty days, and not before', async (t) => {
  const files = filesIn(t);
  await ensureSelfMade(files, NOW_MS);
  const before = readFileSync(files.certFile, 'utf8');
  assert.equal(await renewSelfMade(files, NOW_MS + 790 * DAY_MS), false);
  const laterMs = NOW_MS + 800 * DAY_MS;
  assert.equal(await renewSelfMade(files, laterMs), true);
  assert.notEqual(readFileSync(files.certFile, 'utf8'), before);
  assert.deepEqual(await pairFaults(files, laterMs + 700 * DAY_MS), []);
});

test('one that has ended while the server was down is made again at its start', async (t) => {
  const files = filesIn(t);
  await ensureSelfMade(files, NOW_MS);
  assert.equal(await ensureSelfMade(files, NOW_MS + 900 * DAY_MS), true);
});

test('a pair that somebody else put there is never replaced', async (t) => {
  const files = filesIn(t);
  await writePair(files, 'theirs', 1);
  const before = readFileSync(files.certFile, 'utf8');
  assert.equal(await renewSelfMade(files, NOW_MS), false);
  assert.equal(await ensureSelfMade(files, NOW_MS), false);
  assert.equal(readFileSync(files.certFile, 'utf8'), before);
});
