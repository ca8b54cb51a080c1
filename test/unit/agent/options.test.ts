import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AgentOptions, readOptions } from '../../../agent/options.ts';
import { UsageError } from '../../../src/base/usage-error.ts';
import { typed } from '../../support/typed-command.ts';

const mustRun = (args: string[], env: Record<string, string> = {}): AgentOptions =>
  readOptions(typed('agent', ...args).values, env);

const wrongness = (args: string[], env: Record<string, string> = {}): string => {
  try {
    mustRun(args, env);
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  return assert.fail(`${args.join(' ')} was taken`);
};

test('without options the agent talks to this machine and ships nothing', () => {
  assert.deepEqual(mustRun([]), {
    servers: ['http://127.0.0.1:8080'],
    id: null,
    dataFolder: '/var/lib/cairn-agent',
    logFiles: [],
    token: null,
    tokenFile: null,
    joinToken: null,
    caFile: null,
    identityFiles: null,
    insecure: false,
    transport: 'auto',
    diskPath: '/',
    pricePerHour: null,
    onDemandPricePerHour: null,
    deregisterOnExit: false,
    logLevel: 'info',
    imdsUrl: 'http://169.254.169.254',
  });
});

test('the environment sets what flags do not', () => {
  const env = {
    CAIRN_SERVER: 'https://cairn.example:8443/',
    CAIRN_NODE_ID: 'node-7',
    CAIRN_AGENT_DIR: '/data/agent',
    CAIRN_AGENT_LOGS: '/var/log/a.log, /var/log/b.log,,/var/log/a.log',
    CAIRN_NODE_TOKEN: 'secret',
    CAIRN_CA: '/etc/ca.pem',
    CAIRN_CLIENT_CERT: '/etc/node.crt',
    CAIRN_CLIENT_KEY: '/etc/node.pem',
    CAIRN_IMDS_URL: 'off',
  };
  const options = mustRun([], env);
  assert.deepEqual(options.servers, ['https://cairn.example:8443']);
  assert.equal(options.id, 'node-7');
  assert.equal(options.dataFolder, '/data/agent');
  assert.deepEqual(options.logFiles, ['/var/log/a.log', '/var/log/b.log']);
  assert.equal(options.token, 'secret');
  assert.equal(options.caFile, '/etc/ca.pem');
  assert.deepEqual(options.identityFiles, { cert: '/etc/node.crt', key: '/etc/node.pem' });
  assert.equal(options.imdsUrl, null);
  const flagged = mustRun(['--server', 'http://10.0.0.1:80', '--id', 'node-8', '--log', '/x.log', '--token', 't'], env);
  assert.deepEqual(
    [flagged.servers[0], flagged.id, flagged.logFiles, flagged.token],
    ['http://10.0.0.1', 'node-8', ['/x.log'], 't'],
  );
});

test('an empty variable is as good as none', () => {
  assert.deepEqual(
    mustRun([], { CAIRN_SERVER: '', CAIRN_NODE_ID: '', CAIRN_AGENT_LOGS: '', CAIRN_IMDS_URL: '' }),
    mustRun([]),
  );
});

test('flags for prices, disk, level and the way out are read', () => {
  const options = mustRun([
    '--price-per-hour=0.085',
    '--on-demand-price-per-hour=0.34',
    '--disk-path=/scratch',
    '--log-level=debug',
    '--deregister-on-exit',
    '--insecure',
  ]);
  assert.deepEqual([options.pricePerHour, options.onDemandPricePerHour], [0.085, 0.34]);
  assert.deepEqual([options.diskPath, options.logLevel], ['/scratch', 'debug']);
  assert.deepEqual([options.deregisterOnExit, options.insecure], [true, true]);
});

test('beats may be kept to one way', () => {
  assert.equal(mustRun(['--transport', 'websocket']).transport, 'websocket');
  assert.equal(mustRun(['--transport=http']).transport, 'http');
});

test('what cannot be used is named', () => {
  assert.match(wrongness(['--transport', 'pigeon']), /--transport pigeon: want one of auto, websocket, http/);
  assert.match(wrongness(['--server', 'ftp://x']), /--server ftp:\/\/x/);
  assert.match(wrongness(['--server', 'http://a,ftp://x']), /--server ftp:\/\/x/);
  assert.match(wrongness(['--server', Array.from({ length: 17 }, (_, i) => `http://s${i}`).join()]), /the limit is 16/);
  assert.match(wrongness(['--server', 'cairn.example:8080']), /--server/);
  assert.match(wrongness(['--id', 'a b']), /the id a b/);
  assert.match(wrongness(['--price-per-hour', 'cheap']), /--price-per-hour cheap/);
  assert.match(wrongness(['--price-per-hour=-1']), /--price-per-hour -1/);
  assert.match(wrongness(['--log-level', 'loud']), /--log-level loud/);
  assert.match(wrongness(['--cert', '/etc/node.crt']), /without its key/);
  assert.match(wrongness(['--surprise']), /surprise/);
  assert.match(wrongness(['stray']), /unexpected argument stray/);
  assert.match(wrongness([], { CAIRN_IMDS_URL: 'https://x' }), /CAIRN_IMDS_URL/);
  assert.match(wrongness(Array.from({ length: 65 }, (_, i) => `--log=/l${i}`)), /65 log files/);
});

test('the servers of a cluster are each taken once, in their order', () => {
  const { servers } = mustRun(['--server', 'https://b:1/, http://a:2,https://b:1'], {});
  assert.deepEqual(servers, ['https://b:1', 'http://a:2']);
});
