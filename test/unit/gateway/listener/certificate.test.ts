import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { authorityFault, ensureSelfMade, pairFaults } from '../../../../src/gateway/listener/certificate.ts';
import { type PairFiles, writeAuthority, writePair } from '../../../support/self-made-pair.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const DAY_MS = 86_400_000;
const NOW_MS = Date.now();

function files(folder: string, name: string): PairFiles {
  return { certFile: join(folder, `${name}.crt`), keyFile: join(folder, `${name}.pem`) };
}

async function newPair(t: TestContext, name = 'one', validDays = 30): Promise<PairFiles> {
  const pair = files(temporaryFolder(t), name);
  await writePair(pair, name, validDays);
  return pair;
}

test('a pair that parses, matches and is valid has no fault', async (t) => {
  assert.deepEqual(await pairFaults(await newPair(t), NOW_MS), []);
});

test('a certificate that has expired is a fault of the certificate, from its last second on', async (t) => {
  const pair = await newPair(t);
  const endMs = Date.parse(new X509Certificate(readFileSync(pair.certFile)).validTo);
  assert.deepEqual(await pairFaults(pair, endMs - 1), []);
  const [fault] = await pairFaults(pair, endMs);
  assert.equal(fault?.field, 'security.certFile');
  assert.match(fault?.reason ?? '', /^has expired on /);
});

test('a key of another certificate is a fault of the key', async (t) => {
  const [one, two] = [await newPair(t, 'one'), await newPair(t, 'two')];
  assert.deepEqual(await pairFaults({ certFile: one.certFile, keyFile: two.keyFile }, NOW_MS), [
    { field: 'security.keyFile', reason: 'does not belong to the certificate' },
  ]);
});

test('each of two bad files is a fault of its own', async () => {
  const faults = await pairFaults({ certFile: '/nowhere/a.crt', keyFile: '/nowhere/a.pem' }, NOW_MS);
  assert.deepEqual(
    faults.map(({ field }) => field),
    ['security.certFile', 'security.keyFile'],
  );
});

test('a file that is missing or is no certificate or key is named with its cause, never with its content', async (t) => {
  const pair = await newPair(t);
  const key = readFileSync(pair.keyFile, 'utf8');
  const garbled = join(temporaryFolder(t), 'garbled.pem');
  writeFileSync(garbled, key.replace(/[a-z]/g, 'x'));
  const cases = [
    [{ ...pair, certFile: '/nowhere/a.crt' }, 'security.certFile', /: there is no such file$/],
    [{ ...pair, certFile: garbled }, 'security.certFile', /cannot be read as a certificate: /],
    [{ ...pair, keyFile: '/nowhere/a.pem' }, 'security.keyFile', /: there is no such file$/],
    [{ ...pair, keyFile: garbled }, 'security.keyFile', /cannot be read as a private key: /],
    [{ ...pair, keyFile: pair.certFile }, 'security.keyFile', /cannot be read as a private key: /],
  ] as const;
  for (const [given, field, reason] of cases) {
    const [fault] = await pairFaults(given, NOW_MS);
    assert.equal(fault?.field, field);
    assert.match(fault?.reason ?? '', reason);
    assert.doesNotMatch(fault?.reason ?? '', /xxx|BEGIN/);
  }
});

test('a pair is made where there is none, for this host, and kept where there is one', async (t) => {
  const pair = files(join(temporaryFolder(t), 'tls', 'deep'), 'server');
  assert.equal(await ensureSelfMade(pair, NOW_MS), true);
  assert.deepEqual(await pairFaults(pair, NOW_MS), []);
  const text = readFileSync(pair.certFile);
  const certificate = new X509Certificate(text);
  assert.equal(certificate.publicKey.asymmetricKeyDetails?.namedCurve, 'prime256v1');
  for (const name of ['127.0.0.1', '::1']) assert.equal(certificate.checkIP(name), name);
  assert.equal(certificate.checkHost('localhost'), 'localhost');
  assert.equal(certificate.ca, false);
  assert.ok(Date.parse(certificate.validFrom) < NOW_MS, 'a client whose clock is behind may connect');
  assert.ok(Date.parse(certificate.validTo) <= NOW_MS + 825 * DAY_MS);
  assert.equal(statSync(pair.keyFile).mode & 0o777, 0o600);
  assert.equal(await ensureSelfMade(pair, NOW_MS), false);
  assert.deepEqual(readFileSync(pair.certFile), text);
});

test('where one of the two files is missing both are made again, because they must match', async (t) => {
  const pair = await newPair(t, 'lost');
  const orphan = { certFile: pair.certFile, keyFile: `${pair.keyFile}.gone` };
  assert.equal(await ensureSelfMade(orphan, NOW_MS), true);
  assert.deepEqual(await pairFaults(orphan, NOW_MS), []);
});

test('a file of authorities holds at least one, and is never quoted', async (t) => {
  const folder = temporaryFolder(t);
  const [authority, leaf] = [files(folder, 'authority'), files(folder, 'leaf')];
  await writeAuthority(authority, 'authority');
  await writePair(leaf, 'leaf', 30, authority);
  assert.equal(await authorityFault(authority.certFile), undefined);
  const both = join(folder, 'both.crt');
  writeFileSync(both, `${readFileSync(leaf.certFile, 'utf8')}\n${readFileSync(authority.certFile, 'utf8')}`);
  assert.equal(await authorityFault(both), undefined);
  assert.equal(await authorityFault(leaf.certFile), 'holds no certificate of an authority');
  assert.equal(await authorityFault(leaf.keyFile), 'holds no certificate of an authority');
  assert.match((await authorityFault('/nowhere/ca.crt')) ?? '', /: there is no such file$/);
});

test('the self-made certificate carries the public names, also those that are added later, and is else left alone', async (t) => {
  const pair = files(temporaryFolder(t), 'public');
  const shown = (): X509Certificate => new X509Certificate(readFileSync(pair.certFile));
  assert.equal(await ensureSelfMade(pair, NOW_MS, ['cairn.example.com']), true);
  assert.equal(shown().checkHost('cairn.example.com'), 'cairn.example.com');
  assert.equal(shown().checkIP('203.0.113.7'), undefined);
  assert.equal(await ensureSelfMade(pair, NOW_MS, ['cairn.example.com', '203.0.113.7']), true);
  assert.equal(shown().checkIP('203.0.113.7'), '203.0.113.7');
  assert.equal(shown().checkHost('localhost'), 'localhost');
  assert.equal(await ensureSelfMade(pair, NOW_MS, ['203.0.113.7']), false);
});
