import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agentLog } from '../../../agent/base/log.ts';
import { type ConfigJson, ConfigWatch, changedKeys, heartbeatMsIn } from '../../../agent/config-watch.ts';

const CONFIG = { addr: 'a', ckpt: { ckptMode: 'none', ckptFiles: null }, node: { heartbeat: '30s', ttl: '5m0s' } };

test('changed keys are those under ckpt and node, in order', () => {
  const after = {
    addr: 'b',
    ckpt: { ckptMode: 'iterative', ckptFiles: ['/a'] },
    node: { heartbeat: '1s', ttl: '5m0s' },
  };
  assert.deepEqual(changedKeys(CONFIG, after), ['ckpt.ckptFiles', 'ckpt.ckptMode', 'node.heartbeat']);
  assert.deepEqual(changedKeys(CONFIG, structuredClone(CONFIG)), []);
});

test('a part that comes or goes counts with all of its fields', () => {
  assert.deepEqual(changedKeys({}, { node: { ttl: '1m' } }), ['node.ttl']);
  assert.deepEqual(changedKeys({ node: { ttl: '1m' } }, { node: null }), ['node.ttl']);
});

const watch = (answers: (ConfigJson | null)[]): { config: ConfigWatch; lines: string[]; asked: () => number } => {
  const lines: string[] = [];
  let asked = 0;
  const config = new ConfigWatch({
    fetch: async () => {
      asked++;
      return answers.shift() ?? null;
    },
    log: agentLog(
      'info',
      (line) => lines.push(line),
      () => 0,
    ),
  });
  return { config, lines, asked: () => asked };
};

test('the configuration is fetched once a version, and a change is told with its keys', async () => {
  const { config, lines, asked } = watch([CONFIG, { ...CONFIG, node: { heartbeat: '1s', ttl: '5m0s' } }]);
  for (const version of [1, 1, 1, 2, 2]) await config.onVersion(version);
  assert.equal(asked(), 2);
  assert.equal(lines.length, 1);
  assert.match(lines[0] ?? '', /configuration 2 changes node\.heartbeat\n$/);
});

test('a configuration that could not be had is asked for again with the next reply', async () => {
  const { config, asked } = watch([null, CONFIG]);
  for (let i = 0; i < 3; i++) await config.onVersion(1);
  assert.equal(asked(), 2);
});

test('the heartbeat interval is read out of the configuration, and nothing out of what is none', () => {
  assert.equal(heartbeatMsIn({ node: { heartbeat: '1m30s' } }), 90_000);
  for (const config of [{}, { node: null }, { node: { heartbeat: 30 } }, { node: { heartbeat: 'soon' } }]) {
    assert.equal(heartbeatMsIn(config), undefined);
  }
});
