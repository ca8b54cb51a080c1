import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { launcherOf } from '../../../../agent/copies/copy.ts';

const SHIM = { program: '/usr/bin/env', prefix: ['--'], hold: null };

test('without a slice the shim is started as it is', () => {
  assert.deepEqual(launcherOf(SHIM, undefined, {}), ['/usr/bin/env', '--']);
  assert.deepEqual(launcherOf(SHIM, '', {}), ['/usr/bin/env', '--']);
});

test('in a slice the shim gets a scope of its own, and the job the environment of its caller', () => {
  const [program, ...args] = launcherOf(SHIM, 'cairn-jobs.slice', { A: '1' });
  assert.equal(program, '/usr/bin/systemd-run');
  const end = args.indexOf('--');
  assert.ok(args.slice(0, end).includes('--scope') && args.slice(0, end).includes('--slice=cairn-jobs.slice'));
  // What systemd-run executes, with the variable that it adds.
  const seen = (words: readonly string[], env: Record<string, string>): string =>
    spawnSync(words[0] as string, words.slice(1), { env, encoding: 'utf8' }).stdout;
  assert.equal(seen(args.slice(end + 1), { A: '1', INVOCATION_ID: 'of systemd' }), 'A=1\n');
  const [, ...own] = launcherOf(SHIM, 's.slice', { INVOCATION_ID: 'own' });
  assert.equal(seen(own.slice(own.indexOf('--') + 1), { INVOCATION_ID: 'of systemd' }), 'INVOCATION_ID=own\n');
});
