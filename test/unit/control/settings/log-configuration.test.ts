import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { LogConfiguration } from '../../../../src/control/settings/log-configuration.ts';
import { type Config, changeConfigByText, newConfig } from '../../../../src/protocol/config/config.ts';
import { LogRoots } from '../../../../src/store/logs/log-roots.ts';
import { atEnd } from '../../../support/at-end.ts';
import { CONFIG_SEEDS } from '../../../support/config-seeds.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

interface Logs {
  readonly folder: string;
  readonly config: Config;
  readonly part: LogConfiguration;
}

function openLogs(t: TestContext): Logs {
  const folder = temporaryFolder(t);
  const config = newConfig({ ...CONFIG_SEEDS, logFile: join(folder, 'cairn.log') });
  const part = new LogConfiguration(config, new LogRoots(folder, []));
  atEnd(t, () => part.close());
  return { folder, config, part };
}

function changed(config: Config, entries: Readonly<Record<string, string>>): Config {
  const result = changeConfigByText(config, entries);
  assert.ok(result.ok, JSON.stringify(result));
  return result.config;
}

function messagesIn(file: string): string[] {
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => (JSON.parse(line) as { message: string }).message);
}

test('a change that does not concern the logs prepares nothing', async (t) => {
  const { config, part } = openLogs(t);
  assert.equal(await part.prepare(changed(config, { 'node.ttl': '10m' }), config), null);
});

test('the level follows the configuration when the change is taken up, not when it is prepared', async (t) => {
  const { folder, config, part } = openLogs(t);
  const ready = await part.prepare(changed(config, { 'log.level': 'warn' }), config);
  part.log.info({}, 'before');
  await ready?.commit();
  part.log.info({}, 'hidden');
  part.log.warn({}, 'shown');
  await part.close();
  assert.deepEqual(messagesIn(join(folder, 'cairn.log')), ['before', 'shown']);
});

test('both logs move to the new file’s name, and no line is lost or written twice', async (t) => {
  const { folder, config, part } = openLogs(t);
  part.log.info({}, 'one');
  part.writeAccess('{"message":"a"}\n');
  const ready = await part.prepare(changed(config, { 'log.file': join(folder, 'server.log') }), config);
  part.log.info({}, 'two');
  await ready?.commit();
  part.log.info({}, 'three');
  part.writeAccess('{"message":"b"}\n');
  await part.close();
  assert.deepEqual(
    ['cairn.log', 'server.log', 'cairn-access.log', 'server-access.log'].map((name) => messagesIn(join(folder, name))),
    [['one', 'two'], ['three'], ['a'], ['b']],
  );
});

test('a file that cannot be written is refused before the change is made', async (t) => {
  const { folder, config, part } = openLogs(t);
  mkdirSync(join(folder, 'folder.log'));
  const entries = { 'log.file': join(folder, 'folder.log') };
  assert.match((await part.faultsOf(entries, config))['log.file'] ?? '', /^cannot be written: E/);
});

test('a file outside the log folder is told as the fault of its key; the one in use may be named again', async (t) => {
  const { folder, config, part } = openLogs(t);
  const outside = { 'log.file': '/var/lib/other.log' };
  assert.match((await part.faultsOf(outside, config))['log.file'] ?? '', /is neither in the log folder/);
  const legacy = { ...config, log: { ...config.log, file: '/var/lib/other.log' } };
  assert.deepEqual(await part.faultsOf(outside, legacy), {});
  assert.deepEqual(await part.faultsOf({ 'log.file': join(folder, 'deep', 'x.log') }, config), {});
});
