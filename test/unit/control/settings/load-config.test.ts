import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type GivenSeeds, type LoadedConfig, loadConfig } from '../../../../src/control/settings/load-config.ts';
import { newConfig } from '../../../../src/protocol/config/config.ts';
import { CONFIG_SEEDS } from '../../../support/config-seeds.ts';

const { id: _, ...SEEDS } = CONFIG_SEEDS;
const NOTHING_GIVEN: GivenSeeds = { addr: false, logFolder: false, staticFolder: false };

/** Loads from a file that holds `stored`; what was written to it, if anything. */
async function load(
  stored: unknown,
  given: Partial<GivenSeeds> = {},
): Promise<LoadedConfig & { readonly written: unknown }> {
  let written: unknown;
  const file = {
    path: '/data/config.json',
    read: async () => stored,
    write: async (config: unknown) => {
      written = config;
    },
  };
  return { ...(await loadConfig(file, SEEDS, { ...NOTHING_GIVEN, ...given })), written };
}

test('where there is no file, a new configuration is made from the seeds and written at once', async () => {
  const { config, isNew, warnings, written } = await load(undefined);
  assert.ok(isNew);
  assert.deepEqual(warnings, []);
  assert.equal(written, config);
  assert.match(config.id, /^[0-9a-f-]{36}$/);
  assert.deepEqual(config, newConfig({ ...SEEDS, id: config.id }));
  assert.notEqual((await load(undefined)).config.id, config.id, 'every installation has its own id');
});

test('a file that is there wins, and is not written', async () => {
  const stored = { ...newConfig(CONFIG_SEEDS), addr: 'http://127.0.0.1:9000' };
  const { config, isNew, warnings, written } = await load(structuredClone(stored));
  assert.deepEqual(config, stored);
  assert.deepEqual([isNew, warnings, written], [false, [], undefined]);
});

test('an address that was asked for and differs is told in one warning, and the file’s goes on', async () => {
  const stored = { ...newConfig(CONFIG_SEEDS), addr: 'http://127.0.0.1:9000' };
  const { config, warnings } = await load(structuredClone(stored), { addr: true });
  assert.equal(config.addr, 'http://127.0.0.1:9000');
  assert.equal(warnings.length, 1);
  assert.match(warnings[0] ?? '', /https:\/\/0\.0\.0\.0:443 has no effect.*http:\/\/127\.0\.0\.1:9000;/);
  const same = await load(structuredClone(newConfig(CONFIG_SEEDS)), { addr: true });
  assert.deepEqual(same.warnings, []);
});

test('folders that were asked for and differ are told in a line each; those that were not asked for are not', async () => {
  const made = newConfig(CONFIG_SEEDS);
  const stored = { ...made, staticFolder: '/elsewhere/web', log: { ...made.log, file: '/elsewhere/cairn.log' } };
  const { config, warnings } = await load(structuredClone(stored), { logFolder: true, staticFolder: true });
  assert.equal(config.staticFolder, '/elsewhere/web');
  assert.equal(warnings.length, 2);
  assert.match(warnings[0] ?? '', /log folder .* has no effect: the stored configuration has \/elsewhere;/);
  assert.match(warnings[1] ?? '', /frontend .* has no effect: the stored configuration has \/elsewhere\/web/);
  assert.deepEqual((await load(structuredClone(stored))).warnings, []);
});

test('fields that nobody knows are named and ignored', async () => {
  const { config, warnings } = await load({ node: { speed: 1 }, extra: true, log: { level: 'warn' } });
  assert.equal(config.log.level, 'warn');
  assert.equal(warnings.length, 2);
  for (const path of ['node.speed', 'extra'])
    assert.ok(
      warnings.some((warning) => warning.includes(` ${path},`)),
      path,
    );
});

test('a bad value stops the start with a sentence that names the file, every field and the reason', async () => {
  const stored = { log: { level: 'loud' }, node: { ttl: '-1s' } };
  await assert.rejects(load(stored), (error: Error) => {
    assert.match(error.message, /^cannot start with \/data\/config\.json: /);
    assert.match(error.message, /log\.level is not one of/);
    assert.match(error.message, /node\.ttl is not above zero/);
    return true;
  });
});
