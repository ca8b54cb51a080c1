import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engineConfigText } from '../../../../agent/podman/engine-config.ts';

test('connections are closed only if asked for', () => {
  const config = { irmapScanPaths: [], log: '/data/dump.log' };
  assert.match(engineConfigText({ ...config, tcpClose: true }), /^tcp-close\nnetwork-lock skip\n/m);
  assert.doesNotMatch(engineConfigText({ ...config, tcpClose: false }), /tcp|network/);
});

test('paths are quoted as CRIU reads them', () => {
  const text = engineConfigText({ tcpClose: false, irmapScanPaths: ['/a b', '/c"d'], log: '/x/dump.log' });
  assert.deepEqual(text.split('\n').slice(-4), [
    'irmap-scan-path "/a b"',
    'irmap-scan-path "/c\\"d"',
    'log-file "/x/dump.log"',
    '',
  ]);
});
