import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  accessLogFileOf,
  addressOf,
  type ChangeResult,
  type Config,
  changeConfigByJson,
  changeConfigByText,
  flattenConfig,
  logNameOf,
  newConfig,
  readStoredConfig,
  settingsOf,
  unflattenConfig,
} from '../../../../src/protocol/config/config.ts';
import { CONFIG_FIELDS } from '../../../../src/protocol/config/config-fields.ts';
import { warningsOf } from '../../../../src/protocol/config/warnings.ts';
import { CONFIG_SEEDS } from '../../../support/config-seeds.ts';

const CONFIG = newConfig(CONFIG_SEEDS);

function fieldsOf(result: ChangeResult): Readonly<Record<string, string>> {
  assert.ok(!result.ok, 'the change was taken');
  return result.fields;
}

function configOf(result: ChangeResult): Config {
  assert.ok(result.ok, JSON.stringify(result));
  return result.config;
}

test('a new configuration has the contract’s defaults', () => {
  assert.deepEqual(CONFIG, {
    addr: 'https://0.0.0.0:443',
    id: 'server-1',
    staticFolder: '/usr/share/cairn/web',
    log: { file: '/var/log/cairn/cairn.log', level: 'info', maxSizeMB: 10, maxBackups: 10 },
    security: {
      certFile: '/var/lib/cairn/tls/server.crt',
      keyFile: '/var/lib/cairn/tls/server.pem',
      clientCAFile: '',
      idp: {
        enabled: false,
        userPoolID: '',
        identityPoolID: '',
        clientID: '',
        adminGroups: ['admin'],
        issuer: '',
        audience: '',
        groupsClaim: '',
        scopes: '',
      },
      roles: {},
      corsOrigins: [],
      limits: { requestsPerAddress: 0, requestsPerToken: 0, connections: 0 },
      webhooks: { giveUpAfter: '24h0m0s', privateTargets: false },
    },
    ckpt: {
      ckptMode: 'unknown',
      ckptImagePath: '/mnt/cairn/checkpoints',
      ckptInterval: '15m0s',
      ckptFiles: null,
      IRMapScanPaths: null,
      ckptOnSigTerm: false,
      diagnosisMode: false,
      rootFSDiff: false,
      cloudMonitorMode: false,
      tcpClose: false,
    },
    node: {
      heartbeat: '30s',
      ttl: '5m0s',
      maxPerLogSizeMB: 2,
      maxNodeLogTotalMB: 1024,
      cleanLogInterval: '12h0m0s',
    },
    job: {
      volPerJob: false,
      customTags: {},
      volMountPath: '/mnt/cairn/volume',
      diskType: 'gp3',
      diskSizeGB: 100,
      diskThroughputMB: 125,
      storCleanIntvl: '24h0m0s',
      retentionPolicy: 'time',
      retentionInterval: '1h0m0s',
      successTTL: '72h0m0s',
      failureTTL: '168h0m0s',
    },
  });
});

test('a configuration is frozen to its leaves', () => {
  assert.throws(() => {
    (CONFIG.security.idp.adminGroups as string[]).push('root');
  }, TypeError);
  assert.throws(() => {
    (CONFIG.node as { ttl: string }).ttl = '1s';
  }, TypeError);
});

test('several entries are taken together, and what really changed is named', () => {
  const result = changeConfigByText(CONFIG, {
    'node.ttl': '10m',
    'node.heartbeat': '30000ms',
    'ckpt.tcpClose': 'true',
  });
  assert.ok(result.ok);
  assert.equal(result.config.node.ttl, '10m0s');
  assert.equal(result.config.ckpt.tcpClose, true);
  assert.deepEqual(result.changed, ['node.ttl', 'ckpt.tcpClose']);
  assert.equal(CONFIG.node.ttl, '5m0s');
});

test('one bad entry changes nothing, and every bad key has its reason', () => {
  const fields = fieldsOf(
    changeConfigByText(CONFIG, {
      'node.ttl': '10m',
      'log.level': 'loud',
      'log.maxSizeMB': 'many',
      'no.such.key': 'x',
      id: 'other',
      staticFolder: '/x',
      'security.idp.enabled': 'true',
      'job.retentionPolicy': 'memory',
      'ckpt.tcpClose': true,
    }),
  );
  assert.deepEqual(Object.keys(fields).sort(), [
    'ckpt.tcpClose',
    'id',
    'job.retentionPolicy',
    'log.level',
    'log.maxSizeMB',
    'no.such.key',
    'security.idp.enabled',
    'staticFolder',
  ]);
  assert.equal(fields['id'], 'must not be changed');
  assert.equal(fields['ckpt.tcpClose'], 'is not a string');
  assert.equal(fields['no.such.key'], 'is not a configuration field');
});

test('a folder of fields is no field', () => {
  assert.deepEqual(
    Object.keys(fieldsOf(changeConfigByText(CONFIG, { node: '5m', 'node.': '5m', 'node.ttl.x': '5m' }))),
    ['node', 'node.', 'node.ttl.x'],
  );
});

test('names that every object has are unknown keys, and are answered as such', () => {
  const hostile = JSON.parse('{"__proto__": "x", "constructor": "x", "toString": "x", "node.__proto__": "x"}');
  const fields = fieldsOf(changeConfigByText(CONFIG, hostile));
  assert.deepEqual(Object.keys(fields).sort(), ['__proto__', 'constructor', 'node.__proto__', 'toString']);
  assert.ok(!('x' in {}));
  assert.equal(Object.getPrototypeOf(fields), Object.prototype);
});

test('a TTL below twice the heartbeat is blamed on whatever was asked to change', () => {
  assert.deepEqual(Object.keys(fieldsOf(changeConfigByText(CONFIG, { 'node.ttl': '59s' }))), ['node.ttl']);
  assert.deepEqual(Object.keys(fieldsOf(changeConfigByText(CONFIG, { 'node.heartbeat': '151s' }))), ['node.heartbeat']);
  const both = { 'node.ttl': '20s', 'node.heartbeat': '11s', 'log.level': 'debug' };
  assert.deepEqual(Object.keys(fieldsOf(changeConfigByText(CONFIG, both))), ['node.ttl', 'node.heartbeat']);
});

test('a TTL of exactly twice the heartbeat is enough, and the order of the entries does not matter', () => {
  assert.equal(configOf(changeConfigByText(CONFIG, { 'node.ttl': '1m' })).node.ttl, '1m0s');
  for (const entries of [
    { 'node.ttl': '2s', 'node.heartbeat': '1s' },
    { 'node.heartbeat': '10m', 'node.ttl': '20m' },
  ]) {
    assert.ok(changeConfigByText(CONFIG, entries).ok);
  }
});

test('a checkpoint interval below 2m is accepted', () => {
  assert.equal(configOf(changeConfigByText(CONFIG, { 'ckpt.ckptInterval': '1s' })).ckpt.ckptInterval, '1s');
});

test('a limit that keeps out who sets it is accepted with a warning, and 0 is none', () => {
  const warnings = (entries: Readonly<Record<string, string>>): number =>
    warningsOf(configOf(changeConfigByText(CONFIG, entries)), Object.keys(entries)).length;
  for (const name of ['requestsPerAddress', 'requestsPerToken', 'connections']) {
    assert.equal(warnings({ [`security.limits.${name}`]: '19' }), 1, name);
    assert.equal(warnings({ [`security.limits.${name}`]: '20' }), 0, name);
    assert.equal(warnings({ [`security.limits.${name}`]: '0' }), 0, name);
  }
  assert.equal(warnings({ 'security.limits.connections': '1', 'ckpt.ckptInterval': '1m' }), 2);
  for (const [host, count] of Object.entries({
    '0.0.0.0': 1,
    '[::]': 1,
    '10.0.0.7': 1,
    '127.0.0.1': 0,
    '[::1]': 0,
    localhost: 0,
  }))
    assert.equal(warnings({ addr: `http://${host}:8080` }), count, host);
  const known = { ...CONFIG, security: { ...CONFIG.security, idp: { ...CONFIG.security.idp, enabled: true } } };
  assert.deepEqual(warningsOf({ ...known, addr: 'http://0.0.0.0:8080' }, ['addr']), []);
});

test('the JSON form takes native types and refuses texts for them', () => {
  const config = configOf(
    changeConfigByJson(CONFIG, { 'ckpt.ckptInterval': 60_000_000_000, 'ckpt.ckptFiles': null, 'log.maxSizeMB': 3 }),
  );
  assert.equal(config.ckpt.ckptInterval, '1m0s');
  assert.equal(config.log.maxSizeMB, 3);
  assert.deepEqual(Object.keys(fieldsOf(changeConfigByJson(CONFIG, { 'log.maxSizeMB': '3' }))), ['log.maxSizeMB']);
});

test('the flat form has every field, and leads back', () => {
  const flat = flattenConfig(CONFIG);
  assert.deepEqual(
    [...flat.keys()],
    CONFIG_FIELDS.map(({ path }) => path),
  );
  assert.deepEqual(unflattenConfig(flat), CONFIG);
});

test('the settings are numbers with units', () => {
  assert.deepEqual(settingsOf(CONFIG), {
    heartbeatMs: 30_000,
    nodeTtlMs: 300_000,
    perLogBytesMax: 2 * 1024 * 1024,
    nodeLogBytesMax: 1024 * 1024 * 1024,
    cleanLogIntervalMs: 43_200_000,
    retentionIntervalMs: 3_600_000,
    successTtlMs: 259_200_000,
    failureTtlMs: 604_800_000,
    checkpointIntervalMs: 900_000,
  });
});

test('the log routes follow the name of the log file', () => {
  const config = configOf(changeConfigByText(CONFIG, { 'log.file': '/srv/logs/my.server.log' }));
  assert.equal(logNameOf(config), 'my.server');
  assert.equal(accessLogFileOf(config), '/srv/logs/my.server-access.log');
  assert.equal(logNameOf(CONFIG), 'cairn');
});

test('what was written is read again as the same', () => {
  const changed = configOf(
    changeConfigByText(CONFIG, { 'job.customTags': 'a.b:c', 'ckpt.ckptFiles': 'x', 'security.idp.clientID': 'c' }),
  );
  assert.deepEqual(readStoredConfig(JSON.parse(JSON.stringify(changed)), CONFIG_SEEDS), {
    config: changed,
    unknown: [],
  });
});

test('a stored configuration may lack fields, and unknown ones are named', () => {
  const stored = { log: { level: 'debug' }, extra: { deep: 1 }, node: { speed: 'fast' } };
  const read = readStoredConfig(stored, CONFIG_SEEDS);
  assert.ok('config' in read);
  assert.equal(read.config.log.level, 'debug');
  assert.equal(read.config.node.ttl, '5m0s');
  assert.deepEqual([...read.unknown].sort(), ['extra.deep', 'node.speed']);
});

test('a stored value that is bad, or a TTL too short, is a fault and not a guess', () => {
  const read = readStoredConfig({ log: { level: 'loud' }, node: { ttl: 5 } }, CONFIG_SEEDS);
  assert.ok('faults' in read);
  assert.deepEqual(Object.keys(read.faults), ['log.level']);
  const short = readStoredConfig({ node: { ttl: '10s' } }, CONFIG_SEEDS);
  assert.ok('faults' in short);
  assert.deepEqual(Object.keys(short.faults), ['node.ttl']);
});

for (const stored of [5, null, 'addr', [], true]) {
  test(`a stored ${JSON.stringify(stored)} is no configuration`, () => {
    const read = readStoredConfig(stored, CONFIG_SEEDS);
    assert.ok('faults' in read, 'it was taken for an empty one');
  });
}

test('the older form of the configuration, with durations as nanoseconds, is read', () => {
  const read = readStoredConfig({ node: { heartbeat: 30_000_000_000, ttl: 300_000_000_000 } }, CONFIG_SEEDS);
  assert.ok('config' in read);
  assert.equal(read.config.node.ttl, '5m0s');
});

test('the address of a configuration is the one that is listened on', () => {
  assert.deepEqual(addressOf(CONFIG), { scheme: 'https', host: '0.0.0.0', port: 443 });
  assert.throws(() => addressOf({ ...CONFIG, addr: 'nowhere' }), RangeError);
});

test('while the provider is on, no entry can lock everybody out; while it is off, its fields may be prepared', () => {
  const off = newConfig(CONFIG_SEEDS);
  const prepared = { 'security.idp.clientID': 'c', 'security.idp.userPoolID': 'p', 'security.idp.adminGroups': '' };
  assert.ok(changeConfigByText(off, prepared).ok);
  const idp = { ...off.security.idp, enabled: true, clientID: 'c', userPoolID: 'p' };
  const on = { ...off, security: { ...off.security, idp } };
  const refused = changeConfigByText(on, {
    'security.idp.clientID': 'x',
    'security.idp.userPoolID': 'y',
    'security.idp.adminGroups': '',
  });
  assert.ok(!refused.ok);
  assert.deepEqual(Object.keys(refused.fields).sort(), [
    'security.idp.adminGroups',
    'security.idp.clientID',
    'security.idp.userPoolID',
  ]);
  assert.ok(changeConfigByText(on, { 'security.idp.clientID': 'c', 'security.idp.adminGroups': 'a,b' }).ok);
});
