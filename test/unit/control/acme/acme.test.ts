import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { UsageError } from '../../../../src/base/usage-error.ts';
import { acmeSettingsOf } from '../../../../src/control/acme/acme-settings.ts';
import { CertificateRenewal, isDue } from '../../../../src/control/acme/certificate-renewal.ts';
import { writeAuthority, writePair } from '../../../support/self-made-pair.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { writtenLog } from '../../../support/written-log.ts';

const DAY_MS = 86_400_000;
const NOW_MS = Date.now();

test('an authority is set by name or https address, for host names only', () => {
  assert.equal(acmeSettingsOf({}, ['a.example.com']), null);
  assert.deepEqual(acmeSettingsOf({ CAIRN_ACME_DIRECTORY: 'letsencrypt' }, ['a.example.com', '203.0.113.7']), {
    directoryUrl: 'https://acme-v02.api.letsencrypt.org/directory',
    email: null,
    names: ['a.example.com'],
    challengePort: 80,
  });
  const wrong = (env: Record<string, string>, names: string[]) => () => acmeSettingsOf(env, names);
  assert.throws(wrong({ CAIRN_ACME_DIRECTORY: 'http://ca.example.com/' }, ['a']), UsageError);
  assert.throws(wrong({ CAIRN_ACME_DIRECTORY: 'letsencrypt' }, ['203.0.113.7']), UsageError);
  assert.throws(wrong({ CAIRN_ACME_DIRECTORY: 'letsencrypt', CAIRN_ACME_PORT: '0' }, ['a']), UsageError);
  assert.throws(wrong({ CAIRN_ACME_DIRECTORY: 'toString' }, ['a']), UsageError);
});

test('a certificate is due when it is self-made, and when a third of its life is left', async (t) => {
  const folder = temporaryFolder(t);
  const files = (name: string) => ({ certFile: join(folder, `${name}.crt`), keyFile: join(folder, `${name}.pem`) });
  const read = (name: string) => new X509Certificate(readFileSync(files(name).certFile));
  await writeAuthority(files('ca'), 'ca');
  await writePair(files('own'), 'own');
  // Valid from 60 days ago for another 30: exactly a third is left.
  await writePair(files('signed'), 'signed', 30, files('ca'));
  assert.equal(isDue(read('own'), [], NOW_MS - DAY_MS), true);
  assert.equal(isDue(read('signed'), [], NOW_MS - DAY_MS), false);
  assert.equal(isDue(read('signed'), [], NOW_MS + DAY_MS), true);
  assert.equal(isDue(read('signed'), ['other.example.com'], NOW_MS - DAY_MS), true);
});

test('what cannot be obtained leaves the pair in place; what has ended is set aside', async (t) => {
  const folder = temporaryFolder(t);
  const files = { certFile: join(folder, 'server.crt'), keyFile: join(folder, 'server.pem') };
  await writePair(files, 'own');
  const before = readFileSync(files.certFile, 'utf8');
  const settings = { directoryUrl: 'https://ca.example.com', email: null, names: ['own'], challengePort: 80 };
  let isServed = true;
  let nowMs = NOW_MS;
  const renewal = new CertificateRenewal({
    ...files,
    settings,
    log: writtenLog().log,
    isServed: () => isServed,
    takeUp: async () => assert.fail('there is nothing to take up'),
    nowMs: () => nowMs,
    obtain: async () => {
      throw new Error('the authority is away');
    },
  });
  assert.equal(await renewal.look(), false);
  assert.equal(readFileSync(files.certFile, 'utf8'), before);
  isServed = false;
  assert.equal(await renewal.look(), true, 'a pair of the operator’s is not ours to renew');
  await renewal.setAsideExpired();
  assert.ok(existsSync(files.certFile));
  nowMs += 31 * DAY_MS;
  await renewal.setAsideExpired();
  assert.ok(!existsSync(files.certFile) && existsSync(`${files.certFile}.expired`));
});
