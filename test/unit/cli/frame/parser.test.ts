import assert from 'node:assert/strict';
import { test } from 'node:test';
import { helpText, parse } from '../../../../cli/frame/parser.ts';
import type { CommandSpec } from '../../../../cli/frame/spec.ts';
import type { CommandInput } from '../../../../src/base/command-input.ts';
import { UsageError } from '../../../../src/base/usage-error.ts';

const SPEC: CommandSpec = {
  path: 'thing show',
  summary: 'show a thing',
  args: [
    { name: 'ID', meaning: 'which one' },
    { name: 'FILE', meaning: 'a part of it', optional: true },
  ],
  options: [
    { flags: '-f, --follow', meaning: 'go on' },
    { flags: '--data-dir DIR', meaning: 'a folder', env: 'THING_DIR', default: '/thing' },
    { flags: '--tag TAG', meaning: 'a tag', repeatable: true },
    { flags: '--tail N', meaning: 'lines', kind: 'count' },
    { flags: '--ttl D', meaning: 'how long', kind: 'duration' },
    { flags: '--start TIME', meaning: 'from when', kind: 'time' },
    { flags: '--order ORDER', meaning: 'which', choices: ['up', 'down'] },
    { flags: '--no-verify', meaning: 'trust it' },
  ],
  examples: [{ command: 'cairn thing show a', what: 'One' }],
};

const read = (...argv: string[]): CommandInput => {
  const parsed = parse(SPEC, argv);
  return parsed.kind === 'input' ? parsed.input : assert.fail('help');
};

const fault = (spec: CommandSpec, ...argv: string[]): string => {
  try {
    parse(spec, argv);
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  return assert.fail(`${argv.join(' ')} was taken`);
};

test('values come under the name that was typed; what was not given is absent', () => {
  assert.deepEqual(read('a').values, {});
  const { values, args } = read('a', '-f', '--data-dir', 'd', '--tag=x', '--tag', 'y', '--no-verify', 'part');
  assert.deepEqual(values, { follow: true, 'data-dir': 'd', tag: ['x', 'y'], 'no-verify': true });
  assert.deepEqual(args, ['a', 'part']);
  assert.deepEqual(read('--', '-a-').args, ['-a-']);
});

test('each complaint names the flag or the argument', () => {
  for (const [argv, sentence] of [
    [['a', '--nothing'], /--nothing/],
    [['a', '--folow'], /--folow.*--follow/],
    [['a', '--data-dir'], /--data-dir.*missing/],
    [['a', '--tail', '-1'], /--tail -1: want a whole number/],
    [['a', '--ttl', '5'], /--ttl 5: want a duration/],
    [['a', '--ttl', '0s'], /--ttl 0s/],
    [['a', '--start', 'noon'], /--start noon: want a time/],
    [['a', '--order', 'left'], /--order left: want one of up, down/],
    [['a', '--follow=yes'], /--follow/],
    [[], /ID/],
    [['a', 'b', 'c'], /unexpected argument c/],
  ] as const) {
    const message = fault(SPEC, ...argv);
    assert.match(message, sentence);
    assert.ok(!message.includes('\n'), 'one line');
  }
  assert.match(fault({ ...SPEC, options: [{ flags: '--name N', meaning: 'n', required: true }] }, 'a'), /--name/);
});

test('a command line behind -- is left alone', () => {
  const spec: CommandSpec = { ...SPEC, args: [], rest: 'COMMAND' };
  const parsed = parse(spec, ['-f', '--', 'ls', '--nothing', '--', '-f']);
  assert.deepEqual(parsed.kind === 'input' && parsed.input.rest, ['ls', '--nothing', '--', '-f']);
  assert.match(fault(spec, 'ls'), /put the command behind --/);
});

test('help says where a value comes from, with examples and exit codes, in the width of the terminal', () => {
  const text = helpText(SPEC, 60);
  assert.match(text, /--data-dir <DIR> +a folder \(THING_DIR; default: \/thing\)/);
  assert.match(text, /One:\n {4}cairn thing show a/);
  assert.match(text, /Exit codes: 0 done; 2 invalid usage\./);
  assert.ok(text.split('\n').every((line) => line.length <= 60));
  assert.equal(parse(SPEC, ['--help', '--nothing']).kind, 'help');
});

test('a command that asks no server takes the flags of those that do, and shows those that mean something to it', () => {
  const flags = ['--server', 'http://a:1', '--token-file', 't', '--ca', 'c', '--no-color', '--output', 'json'];
  for (const shared of ['output', 'none'] as const) {
    const spec: CommandSpec = { path: 'thing', summary: 'a thing', shared, examples: [] };
    const parsed = parse(spec, flags);
    const output = shared === 'output' ? { output: 'json', 'no-color': true } : {};
    assert.deepEqual(parsed.kind === 'input' && parsed.input.values, output);
    assert.equal(/--output/.test(helpText(spec)), shared === 'output');
    assert.doesNotMatch(helpText(spec), /--server/);
    assert.match(fault(spec, '--serve', 'x'), /--serve/);
  }
});
