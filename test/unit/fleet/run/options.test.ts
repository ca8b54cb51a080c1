import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readOptions } from '../../../../fleet/run/options.ts';
import { UsageError } from '../../../../src/base/usage-error.ts';
import { typed } from '../../../support/typed-command.ts';

const NOW_MS = Date.UTC(2026, 0, 31);
const read = (...args: string[]) => readOptions(typed('fleet', ...args).values, {}, NOW_MS);

test('without options it plays fifty nodes for a minute against the loopback server', () => {
  const options = read();
  assert.equal(options.server.href, 'http://127.0.0.1:8080/');
  assert.deepEqual(
    [options.nodes, options.jobs, options.queues, options.durationSeconds, options.seed, options.speed, options.batch],
    [50, 200, 5, 60, 1, 60, 1],
  );
  assert.match(options.prefix, /^fleet-1-[0-9a-z]+$/);
  assert.equal(options.verify, true);
  assert.equal(options.transport, 'auto');
});

test('the server comes from the environment where no option names it', () => {
  const environment = { CAIRN_SERVER: 'https://10.0.0.1:8443' };
  assert.equal(readOptions({}, environment, NOW_MS).server.host, '10.0.0.1:8443');
  assert.equal(
    readOptions(typed('fleet', '--server', 'http://[::1]:1').values, environment, NOW_MS).server.host,
    '[::1]:1',
  );
});

test('any certificate is accepted from loopback addresses only, unless one is given to trust', () => {
  assert.equal(read('--server', 'https://127.0.0.9:1').insecure, true);
  assert.equal(read('--server', 'https://localhost:1').insecure, true);
  assert.equal(read('--server', 'https://[::1]:1').insecure, true);
  assert.equal(read('--server', 'https://127.0.0.1.example.com').insecure, false);
  assert.equal(read('--server', 'https://10.0.0.1', '--insecure').insecure, true);
  assert.equal(read('--server', 'https://127.0.0.1', '--ca', 'package.json').insecure, false);
});

test('durations are Go’s', () => {
  assert.equal(read('--duration', '1m30.5s').durationSeconds, 90.5);
});

test('what cannot be used is refused by name', () => {
  for (const [args, name] of [
    [['--nodes', '0'], '--nodes'],
    [['--nodes', '1.5'], '--nodes'],
    [['--jobs', 'many'], '--jobs'],
    [['--speed', ''], '--speed'],
    [['--batch', '10001'], '--batch'],
    [['--duration', '5'], '--duration'],
    [['--transport', 'pigeon'], '--transport'],
    [['--prefix', 'a b'], '--prefix'],
    [['--server', 'ftp://x'], 'ftp://x'],
    [['--ca', '/no/such/file'], '--ca'],
    [['--bogus'], '--bogus'],
    [['stray'], 'unexpected argument stray'],
  ] as const) {
    assert.throws(
      () => read(...args),
      (error: unknown) => error instanceof UsageError && error.message.includes(name),
      args.join(' '),
    );
  }
});
