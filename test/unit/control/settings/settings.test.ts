import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../../../src/base/clock.ts';
import { CodedError } from '../../../../src/base/errors.ts';
import { type ConfigParticipant, Settings } from '../../../../src/control/settings/settings.ts';
import { type Config, newConfig } from '../../../../src/protocol/config/config.ts';
import { CONFIG_INTENT_KEY } from '../../../../src/store/records/config-intent.ts';
import { CONFIG_SEEDS } from '../../../support/config-seeds.ts';
import { FaultyStore } from '../../../support/faulty-store.ts';
import { writeAll } from '../../../support/write-all.ts';
import { writtenLog } from '../../../support/written-log.ts';

const CONFIG = newConfig(CONFIG_SEEDS);
const ANNA = { name: 'anna', from: '10.0.0.9' };

/** What surrounds the settings on main; every step writes its name down. */
class SettingsWorld {
  readonly store = new FaultyStore();
  readonly clock = new ManualClock(Date.UTC(2026, 0, 31, 12));
  readonly steps: string[] = [];
  readonly written = writtenLog();
  /** What config.json holds. */
  file: Config | undefined;
  fileFails = false;
  published: { config: Config; version: number } | undefined;

  open(config: Config = CONFIG, asStored: unknown = config): Promise<Settings> {
    return Settings.open(
      {
        file: {
          path: '/config.json',
          read: async () => this.file,
          write: async (next) => {
            if (this.fileFails) throw new CodedError('storageFull');
            this.steps.push('file');
            this.file = next;
          },
        },
        reader: this.store,
        clock: this.clock,
        log: this.written.log,
        commit: async (writes) => {
          writeAll(this.store, writes);
          const isIntent = writes.some(
            ({ key, value }) => value !== null && Buffer.from(key).equals(CONFIG_INTENT_KEY),
          );
          this.steps.push(isIntent ? 'intent' : 'record');
        },
        publish: async (next, version) => {
          this.steps.push('publish');
          this.published = { config: next, version };
        },
      },
      config,
      asStored,
    );
  }

  /** A part that takes every change, or refuses or breaks as it is told. */
  part(name: string, how: { refuses?: boolean; breaks?: boolean } = {}): ConfigParticipant {
    return {
      prepare: async () => {
        if (how.refuses) throw new CodedError('addressUnavailable', 'in use');
        this.steps.push(`prepare ${name}`);
        return {
          commit: () => {
            if (how.breaks) throw new Error(`${name} broke`);
            this.steps.push(`commit ${name}`);
          },
          rollback: () => void this.steps.push(`rollback ${name}`),
        };
      },
    };
  }

  /** Every entry of the history, oldest first. */
  history(): { version: number; time: string; who: string; key: string; old: unknown; new: unknown }[] {
    return [...this.store.range('configHistory')].flatMap(({ value }) => JSON.parse(Buffer.from(value).toString()));
  }
}

function isCoded(name: string, fields?: readonly string[]): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof CodedError, String(error));
    assert.equal(error.name, name);
    if (fields) assert.deepEqual(Object.keys(error.fields ?? {}), fields);
    return true;
  };
}

test('a first start has version 1 and no history; a second start of the same configuration is no change', async () => {
  const world = new SettingsWorld();
  assert.equal((await world.open()).version, 1);
  assert.deepEqual(world.steps, ['record']);
  assert.equal((await world.open()).version, 1);
  assert.deepEqual(world.steps, ['record'], 'nothing was written again');
  assert.deepEqual(world.history(), []);
});

test('a configuration that was edited while the server was down is a change too', async () => {
  const world = new SettingsWorld();
  await world.open();
  const settings = await world.open({ ...CONFIG, log: { ...CONFIG.log, level: 'debug' } });
  assert.equal(settings.version, 2);
  assert.deepEqual(world.history(), [
    {
      version: 2,
      time: '2026-01-31T12:00:00.000Z',
      who: 'config.json (edited while the server was down)',
      key: '*',
      old: null,
      new: null,
    },
  ]);
});

test('a configuration that an earlier version wrote lacks fields, and is no change', async () => {
  const world = new SettingsWorld();
  const { customTags: _, ...job } = CONFIG.job;
  const older = { ...CONFIG, job } as unknown as Config;
  await world.open(older);
  const settings = await world.open(CONFIG, older);
  assert.deepEqual([settings.version, world.history()], [1, []]);
  await world.open(CONFIG, { ...older, staticFolder: '/elsewhere' });
  assert.equal(world.history().length, 1, 'a field that was taken away and one that was changed are one');
});

test('a change is prepared, written, recorded, taken up and published, in this order, before it is answered', async () => {
  const world = new SettingsWorld();
  const settings = await world.open();
  world.steps.splice(0);
  settings.addParticipant(world.part('listener'));
  settings.addParticipant(world.part('logs'));
  const config = await settings.change('text', { 'node.ttl': '10m', 'ckpt.tcpClose': 'true' }, ANNA);
  assert.deepEqual(world.steps, [
    'prepare listener',
    'prepare logs',
    'intent',
    'file',
    'record',
    'commit listener',
    'commit logs',
    'publish',
  ]);
  assert.equal(config.node.ttl, '10m0s');
  assert.equal(settings.config, config);
  assert.equal(world.file, config);
  assert.deepEqual(world.published, { config, version: 2 });
  assert.equal((await world.open(config)).version, 2, 'the version was recorded');
});

test('the history says who changed what, from what, to what, and when', async () => {
  const world = new SettingsWorld();
  const settings = await world.open();
  world.clock.advance(1_500);
  await settings.change('text', { 'log.level': 'debug', 'job.customTags': 'a:1' }, ANNA);
  const common = { version: 2, time: '2026-01-31T12:00:01.500Z', who: 'anna (10.0.0.9)' };
  assert.deepEqual(world.history(), [
    { ...common, key: 'log.level', old: 'info', new: 'debug' },
    { ...common, key: 'job.customTags', old: {}, new: { a: '1' } },
  ]);
});

test('the last hundred changes are kept', async () => {
  const world = new SettingsWorld();
  const settings = await world.open();
  for (let i = 1; i <= 105; i++) await settings.change('json', { 'job.diskSizeGB': 100 + i }, ANNA);
  const versions = world.history().map(({ version }) => version);
  assert.equal(settings.version, 106);
  assert.deepEqual([versions.length, versions[0], versions.at(-1)], [100, 7, 106]);
});

test('a value that is already so changes nothing and raises no version', async () => {
  const world = new SettingsWorld();
  const settings = await world.open();
  world.steps.splice(0);
  settings.addParticipant(world.part('listener'));
  assert.equal(await settings.change('text', { 'node.ttl': '300s' }, ANNA), CONFIG);
  assert.equal(settings.version, 1);
  assert.deepEqual(world.steps, []);
});

test('one bad entry changes nothing, asks no part, and every bad key has its reason', async () => {
  const world = new SettingsWorld();
  const settings = await world.open();
  world.steps.splice(0);
  settings.addParticipant(world.part('listener'));
  const entries = { 'node.ttl': '10m', 'log.level': 'loud', id: 'other' };
  await assert.rejects(settings.change('text', entries, ANNA), isCoded('invalid', ['log.level', 'id']));
  assert.equal(settings.config, CONFIG);
  assert.deepEqual(world.steps, []);
});

test('a bad address alone is an address that cannot be had; with other faults all are told together', async () => {
  const settings = await new SettingsWorld().open();
  for (const addr of ['nowhere', 'http://0.0.0.0:0', 'ftp://127.0.0.1:80', 'http://example.org:80'])
    await assert.rejects(settings.change('text', { addr }, ANNA), isCoded('addressUnavailable', ['addr']), addr);
  const both = { addr: 'nowhere', 'log.level': 'loud' };
  await assert.rejects(settings.change('text', both, ANNA), isCoded('invalid', ['addr', 'log.level']));
});

test('a part that cannot take the change up stops it, and those before it are taken back', async () => {
  const world = new SettingsWorld();
  const settings = await world.open();
  world.steps.splice(0);
  settings.addParticipant(world.part('first'));
  settings.addParticipant(world.part('second'));
  settings.addParticipant(world.part('third', { refuses: true }));
  await assert.rejects(settings.change('text', { 'node.ttl': '10m' }, ANNA), isCoded('addressUnavailable'));
  assert.deepEqual(world.steps, ['prepare first', 'prepare second', 'rollback second', 'rollback first']);
  assert.deepEqual([settings.config, settings.version, world.published], [CONFIG, 1, undefined]);
});

test('a file that cannot be written leaves everything as it was', async () => {
  const world = new SettingsWorld();
  const settings = await world.open();
  world.steps.splice(0);
  settings.addParticipant(world.part('listener'));
  world.fileFails = true;
  await assert.rejects(settings.change('text', { 'node.ttl': '10m' }, ANNA), isCoded('storageFull'));
  assert.deepEqual(world.steps, ['prepare listener', 'intent', 'rollback listener']);
  assert.deepEqual([settings.config, settings.version, world.file], [CONFIG, 1, undefined]);
});

test('a change that cannot be recorded is taken out of the file again', async () => {
  const world = new SettingsWorld();
  const settings = await world.open();
  await settings.change('text', { 'node.ttl': '10m' }, ANNA);
  const before = settings.config;
  world.steps.splice(0);
  settings.addParticipant(world.part('listener'));
  const { commits } = world.store;
  world.store.fails = () => world.store.commits > commits + 1;
  await assert.rejects(settings.change('text', { 'node.ttl': '20m' }, ANNA), isCoded('storageFull'));
  assert.deepEqual(world.steps, ['prepare listener', 'intent', 'file', 'file', 'rollback listener']);
  assert.deepEqual([world.file, settings.config, settings.version], [before, before, 2]);
  world.store.fails = () => false;
  await settings.change('text', { 'node.ttl': '30m' }, ANNA);
  assert.equal(settings.version, 3);
});

test('a change that was killed between its file and its history is recorded at the next start as what it was', async () => {
  const world = new SettingsWorld();
  const settings = await world.open();
  const { commits } = world.store;
  world.store.fails = () => world.store.commits > commits + 1;
  await assert.rejects(settings.change('text', { 'node.ttl': '10m' }, ANNA));
  world.store.fails = () => false;
  // A killed server does not take the file back.
  const changed = { ...CONFIG, node: { ...CONFIG.node, ttl: '10m0s' } };
  const after = await world.open(changed);
  assert.equal(after.version, 2);
  const [entry] = world.history();
  assert.deepEqual(entry, {
    version: 2,
    time: '2026-01-31T12:00:00.000Z',
    who: 'anna (10.0.0.9)',
    key: 'node.ttl',
    old: '5m0s',
    new: '10m0s',
  });
  assert.equal((await world.open(changed)).version, 2, 'once');
  await world.open(CONFIG);
  assert.equal(world.history().at(-1)?.who, 'config.json (edited while the server was down)');
});

test('a change that is recorded is known everywhere, also where a part breaks while it takes it up', async () => {
  const world = new SettingsWorld();
  const settings = await world.open();
  world.steps.splice(0);
  settings.addParticipant(world.part('first', { breaks: true }));
  settings.addParticipant(world.part('second'));
  await assert.rejects(settings.change('text', { 'node.ttl': '10m' }, ANNA), /first broke/);
  assert.deepEqual(world.steps, [
    'prepare first',
    'prepare second',
    'intent',
    'file',
    'record',
    'commit second',
    'publish',
  ]);
  assert.equal(world.published?.version, settings.version);
  assert.equal(world.published?.config.node.ttl, '10m0s');
});

test('changes that come together are made one after the other, and a bad one stops none', async () => {
  const world = new SettingsWorld();
  const settings = await world.open();
  const outcomes = await Promise.allSettled([
    settings.change('text', { 'node.ttl': '10m' }, ANNA),
    settings.change('text', { 'node.ttl': 'soon' }, ANNA),
    settings.change('text', { 'node.heartbeat': '4m' }, ANNA),
  ]);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
  // 4m is only allowed because the first change was already made.
  assert.deepEqual([settings.config.node.ttl, settings.config.node.heartbeat, settings.version], ['10m0s', '4m0s', 3]);
  assert.deepEqual(
    world.history().map(({ version, key }) => [version, key]),
    [
      [2, 'node.ttl'],
      [3, 'node.heartbeat'],
    ],
  );
});

test('a checkpoint interval below two minutes is taken, with one warning', async () => {
  const world = new SettingsWorld();
  const settings = await world.open();
  const warnings = (): number => world.written.lines.filter(({ level }) => level === 'warn').length;
  await settings.change('text', { 'ckpt.ckptInterval': '2m' }, ANNA);
  assert.equal(warnings(), 0);
  await settings.change('text', { 'ckpt.ckptInterval': '119s' }, ANNA);
  assert.equal(warnings(), 1);
  await settings.change('text', { 'log.level': 'debug' }, ANNA);
  assert.equal(warnings(), 1, 'another change does not warn of it again');
});

test('the identity provider’s fields are set together, and only what differs is recorded', async () => {
  const world = new SettingsWorld();
  const settings = await world.open();
  const idp = {
    ...newConfig(CONFIG_SEEDS).security.idp,
    enabled: true,
    userPoolID: 'r_1',
    clientID: 'c',
  };
  const config = await settings.changeIdp(idp, ANNA);
  assert.deepEqual(config.security.idp, idp);
  assert.deepEqual(
    world.history().map(({ key }) => key),
    ['security.idp.enabled', 'security.idp.userPoolID', 'security.idp.clientID'],
  );
  await settings.changeIdp(idp, ANNA);
  assert.equal(settings.version, 2);
});
