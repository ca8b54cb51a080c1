import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { UsageError } from '../../../src/base/usage-error.ts';
import { clusterSettingsOf, mustBeReachable } from '../../../src/commands/cluster-settings.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const LOCAL = { replicate: 'nats://127.0.0.1:4222', cluster: 'main' };

function wrongness(flags: Readonly<Record<string, string>>, env: Readonly<Record<string, string>> = {}): string {
  try {
    clusterSettingsOf(flags, env);
  } catch (error) {
    assert.ok(error instanceof UsageError, String(error));
    return error.message;
  }
  return assert.fail(`taken: ${JSON.stringify(flags)}`);
}

test('without an engine a server stands alone', () => {
  assert.equal(clusterSettingsOf({}, {}), null);
  assert.equal(clusterSettingsOf({}, { CAIRN_REPLICATE: '', CAIRN_CLUSTER: '' }), null);
});

test('flags and environment name engines, cluster and URL; a flag takes precedence', () => {
  const env = {
    CAIRN_REPLICATE: 'nats://127.0.0.1,tls://localhost:5000/, nats://[::1]:4223,nats://127.0.0.1:4222',
    CAIRN_CLUSTER: 'main',
    CAIRN_ADVERTISE: 'https://cairn-1.example:8443/',
  };
  assert.deepEqual(clusterSettingsOf({ cluster: 'other' }, env), {
    engine: ['nats://127.0.0.1:4222', 'tls://localhost:5000', 'nats://[::1]:4223'],
    cluster: 'other',
    advertise: 'https://cairn-1.example:8443',
    credsFile: null,
    caFile: null,
    keyFile: null,
  });
});

test('an engine on another machine needs the cluster’s key', (t) => {
  const file = join(temporaryFolder(t), 'key');
  const far = { ...LOCAL, replicate: 'nats://127.0.0.1:4222,tls://10.0.0.7:4222' };
  assert.match(wrongness(far), /CAIRN_CLUSTER_KEY_FILE/);
  assert.match(wrongness(far, { CAIRN_CLUSTER_KEY_FILE: file }), /cannot read CAIRN_CLUSTER_KEY_FILE .*ENOENT/);
  writeFileSync(file, 'x'.repeat(31));
  assert.match(wrongness(far, { CAIRN_CLUSTER_KEY_FILE: file }), /at least 32 bytes/);
  writeFileSync(file, 'x'.repeat(32));
  assert.equal(clusterSettingsOf(far, { CAIRN_CLUSTER_KEY_FILE: file })?.keyFile, file);
});

test('what cannot be used is named', () => {
  assert.match(wrongness({ replicate: LOCAL.replicate }), /--cluster/);
  assert.match(wrongness({ cluster: 'main' }), /without --replicate/);
  assert.match(wrongness({ advertise: 'http://a:1' }), /--advertise http:\/\/a:1 without --replicate/);
  for (const engine of ['http://127.0.0.1', '127.0.0.1:4222', 'nats://', 'nats://u:p@127.0.0.1', ','])
    assert.match(wrongness({ ...LOCAL, replicate: engine }), /--replicate/, engine);
  for (const cluster of ['a.b', 'x'.repeat(33), 'ä', ''])
    assert.match(wrongness({ ...LOCAL, cluster }), /--cluster/, cluster);
  for (const advertise of ['cairn-1:80', 'ftp://a', 'http://a/path'])
    assert.match(wrongness({ ...LOCAL, advertise }), /--advertise/, advertise);
  assert.match(wrongness(LOCAL, { CAIRN_REPLICATE_CA: '/no/such/file' }), /CAIRN_REPLICATE_CA/);
});

test('a server that listens on every interface must say where it is reached', () => {
  const settings = clusterSettingsOf(LOCAL, {});
  assert.ok(settings);
  for (const addr of ['https://0.0.0.0:443', 'http://[::]:80', 'http://[0:0::0]:80'])
    assert.throws(() => mustBeReachable(settings, addr), /--advertise/);
  mustBeReachable(settings, 'https://10.0.0.1:443');
  mustBeReachable({ ...settings, advertise: 'https://a:443' }, 'https://0.0.0.0:443');
});
