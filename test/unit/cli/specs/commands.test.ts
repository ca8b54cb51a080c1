import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TRANSPORTS } from '../../../../agent/options.ts';
import { ENGINES, FRESH } from '../../../../agent/wire/names.ts';
import { helpText } from '../../../../cli/frame/parser.ts';
import { exitCodesOf, flagOf, optionsOf } from '../../../../cli/frame/spec.ts';
import { COMMANDS } from '../../../../cli/specs/commands.ts';
import { LOADERS } from '../../../../src/loaders.ts';
import { commandSpec, typed } from '../../../support/typed-command.ts';

test('every command has code, and all code has a command', () => {
  assert.deepEqual(COMMANDS.map(({ path }) => path).sort(), Object.keys(LOADERS).sort());
});

test('every command shows two examples that it can read', () => {
  for (const { path, examples } of COMMANDS) {
    assert.ok(examples.length >= 2, path);
    for (const { command } of examples) {
      const words = command
        .replace(/^sudo /, '')
        .replace(/\$\([^)]*\)/g, 'X')
        .replace(/ [|>].*$/, '')
        .split(' ');
      assert.deepEqual(words.slice(0, 1 + path.split(' ').length), ['cairn', ...path.split(' ')], command);
      typed(path, ...words.slice(1 + path.split(' ').length));
    }
  }
});

test('flags are kebab-case, stand once in a command, and are in its help', () => {
  for (const spec of COMMANDS) {
    const longs = optionsOf(spec).map((option) => flagOf(option).long);
    assert.ok(
      longs.every((long) => /^[a-z]+(-[a-z]+)*$/.test(long)),
      `${spec.path}: ${longs.join(' ')}`,
    );
    assert.equal(new Set(longs).size, longs.length, spec.path);
    const help = helpText(spec, 100);
    for (const long of longs) assert.match(help, new RegExp(`--${long}\\b`), `${spec.path} --${long}`);
    for (const code of Object.keys(exitCodesOf(spec)))
      assert.match(help, new RegExp(`\\b${code} `), `${spec.path} ${code}`);
  }
});

test('choices that the agent checks too are the same there', () => {
  const choicesOf = (path: string, long: string) =>
    optionsOf(commandSpec(path)).find((option) => flagOf(option).long === long)?.choices;
  assert.deepEqual(choicesOf('agent', 'transport'), TRANSPORTS);
  assert.deepEqual(choicesOf('run', 'engine'), ENGINES);
  assert.deepEqual(choicesOf('run', 'fresh'), FRESH);
});
