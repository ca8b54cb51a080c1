import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { dropEmptyVariables } from '../../../../src/base/service/empty-variables.ts';
import { findInstalledServer, withInstalledServer } from '../../../../src/base/service/installed-server.ts';
import { pingMsOf } from '../../../../src/base/service/service-manager.ts';

const folder = mkdtempSync(join(tmpdir(), 'cairn-service-'));
after(() => rmSync(folder, { recursive: true }));
const settings = join(folder, 'server.env');

test('the watchdog is fed three times in its time, and only where systemd watches this process', () => {
  const env = { NOTIFY_SOCKET: '/run/systemd/notify', WATCHDOG_USEC: '60000000' };
  assert.equal(pingMsOf(env, 7), 20_000);
  assert.equal(pingMsOf({ ...env, WATCHDOG_PID: '7' }, 7), 20_000);
  assert.equal(pingMsOf({ ...env, WATCHDOG_PID: '8' }, 7), null);
  assert.equal(pingMsOf({ WATCHDOG_USEC: '60000000' }, 7), null);
  assert.equal(pingMsOf({ NOTIFY_SOCKET: 'x' }, 7), null);
});

test('a variable of ours that was left blank counts as not set, those of others stay', () => {
  const env = { CAIRN_DATA_DIR: '', CAIRN_ADDR: 'http://127.0.0.1:1', HOME: '', TZ: 'UTC' };
  dropEmptyVariables(env);
  assert.deepEqual(env, { CAIRN_ADDR: 'http://127.0.0.1:1', HOME: '', TZ: 'UTC' });
  writeFileSync(settings, 'CAIRN_ADDR=\nCAIRN_DATA_DIR=\n');
  assert.deepEqual(findInstalledServer(settings), {
    url: 'https://127.0.0.1',
    certFile: '/var/lib/cairn/tls/server.crt',
  });
});

test('without an installed server there is none', () => {
  assert.equal(findInstalledServer(join(folder, 'nothing.env')), undefined);
});

test('an installed server is found by its configuration, else by its settings, with an address of this machine', () => {
  writeFileSync(settings, `# comment\nCAIRN_ADDR="https://0.0.0.0:8443"\nCAIRN_DATA_DIR=${folder}\n`);
  assert.deepEqual(findInstalledServer(settings), {
    url: 'https://127.0.0.1:8443',
    certFile: join(folder, 'tls', 'server.crt'),
  });
  const config = { addr: 'https://[::]:443', security: { certFile: '/etc/own.crt' } };
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config));
  assert.deepEqual(findInstalledServer(settings), { url: 'https://[::1]', certFile: '/etc/own.crt' });
  writeFileSync(join(folder, 'config.json'), '{"addr":"http://10.0.0.7:8080"}');
  assert.deepEqual(findInstalledServer(settings), { url: 'http://10.0.0.7:8080', certFile: null });
});

test('an agent that is told of a server keeps it, and one that is not finds the installed one', () => {
  const find = () => ({ url: 'https://127.0.0.1', certFile: '/c' });
  assert.deepEqual(withInstalledServer({ CAIRN_SERVER: 'http://a' }, find), { CAIRN_SERVER: 'http://a' });
  assert.deepEqual(withInstalledServer({ A: '1' }, find), {
    A: '1',
    CAIRN_SERVER: 'https://127.0.0.1',
    CAIRN_CA: '/c',
  });
  assert.equal(withInstalledServer({ CAIRN_CA: '/own' }, find)['CAIRN_CA'], '/own');
  assert.deepEqual(
    withInstalledServer({ A: '1' }, () => undefined),
    { A: '1' },
  );
});
