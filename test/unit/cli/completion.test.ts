import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AskNames, candidates } from '../../../cli/completion/candidates.ts';
import { COMMANDS } from '../../../cli/specs/commands.ts';

const NAMES: Readonly<Record<string, readonly string[]>> = {
  job: ['render-1', 'render-2', 'other'],
  node: ['n1'],
  queue: ['nightly'],
  setting: ['node.ttl', 'node.heartbeat'],
};

const ask: AskNames = async (what) => NAMES[what] ?? [];
const offered = (...words: string[]): Promise<readonly string[]> => candidates(COMMANDS, words, ask);

test('words of commands are offered', async () => {
  assert.ok((await offered('')).includes('node'));
  assert.deepEqual(await offered('ev'), ['events']);
  assert.deepEqual(await offered('node', 'l'), ['list', 'logs']);
  assert.deepEqual(await offered('queue', ''), ['list']);
  assert.ok((await offered('agent', '')).includes('check'), 'of a command that has others below it');
  assert.deepEqual(await offered('nothing', 'x', ''), []);
});

test('flags and their choices are offered', async () => {
  assert.deepEqual(await offered('job', 'list', '--cre'), ['--created-after', '--created-before']);
  assert.deepEqual(await offered('node', 'list', '--state', 'l'), ['late', 'lost']);
  assert.deepEqual(await offered('node', 'list', '--state=lo'), ['--state=lost']);
  assert.deepEqual(await offered('completion', ''), ['bash', 'zsh', 'fish']);
  assert.ok((await offered('node', 'list', '--')).includes('--server'));
});

test('ids come from the server, where one is wanted', async () => {
  assert.deepEqual(await offered('job', 'show', 'ren'), ['render-1', 'render-2']);
  assert.deepEqual(await offered('job', 'list', '--queue', ''), ['nightly']);
  assert.deepEqual(await offered('job', 'show', 'render-1', ''), [], 'one is enough');
  assert.deepEqual(await offered('job', 'logs', '--stderr', 'o'), ['other'], 'behind a flag without a value');
  assert.deepEqual(await offered('job', 'logs', '--server', 'http://x', 'o'), ['other'], 'behind a flag with one');
  assert.deepEqual(
    await offered('config', 'set', 'node.ttl=1m', 'node.h'),
    ['node.heartbeat'],
    'as many as are wanted',
  );
});

test('what a shell or another program knows better is left to it', async () => {
  assert.deepEqual(await offered('job', 'bundle', 'a', '--to', ''), []);
  assert.deepEqual(await offered('run', '--', 'l'), []);
});
