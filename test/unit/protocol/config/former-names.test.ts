import assert from 'node:assert/strict';
import { test } from 'node:test';
import { byCurrentNames, currentPath } from '../../../../src/protocol/config/former-names.ts';

test('former names of settings and paths become today’s, and others stay', () => {
  const { entries, twice } = byCurrentNames({
    'security.cognito.region': 'r',
    'ckpt.cloudWatchMode': 'true',
    'job.ebsPerJob': 'true',
    'job.ebsMountPath': '/x',
    'node.ttl': '5m',
  });
  assert.deepEqual(entries, {
    'security.idp.region': 'r',
    'ckpt.cloudMonitorMode': 'true',
    'job.volPerJob': 'true',
    'job.volMountPath': '/x',
    'node.ttl': '5m',
  });
  assert.deepEqual(twice, []);
  assert.equal(currentPath('/api/v1/security/cognito'), '/api/v1/security/idp');
  assert.equal(currentPath('/api/v1/scripts/install-pagent'), '/api/v1/scripts/install-agent');
  assert.equal(currentPath('/api/v1/node'), '/api/v1/node');
});

test('a setting that is given by both of its names is named', () => {
  assert.deepEqual(byCurrentNames({ 'job.ebsPerJob': 'true', 'job.volPerJob': 'false' }).twice, ['job.volPerJob']);
});

test('a name such as __proto__ stays an entry, so that it is refused as any other', () => {
  const given = JSON.parse('{"__proto__": "x"}') as Record<string, unknown>;
  assert.deepEqual(Object.keys(byCurrentNames(given).entries), ['__proto__']);
});
