import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dispatch, type Loaders } from '../../../../cli/frame/dispatch.ts';
import type { CommandSpec } from '../../../../cli/frame/spec.ts';
import type { CommandInput } from '../../../../src/base/command-input.ts';
import { UsageError } from '../../../../src/base/usage-error.ts';

const spec = (path: string, more: Partial<CommandSpec> = {}): CommandSpec => ({
  path,
  summary: path,
  args: [{ name: 'ID', meaning: 'which', optional: true }],
  examples: [],
  ...more,
});

const SPECS = [spec('agent'), spec('agent check'), spec('node list', { api: true }), spec('node show'), spec('bad')];

interface Played {
  readonly code: number;
  readonly ran: string;
  readonly input?: CommandInput;
  /** Printed to standard error. */
  readonly said: string;
  /** Printed to standard output. */
  readonly shown: string;
}

async function played(...argv: string[]): Promise<Played> {
  let ran = '';
  let input: CommandInput | undefined;
  const loaders: Loaders = Object.fromEntries(
    SPECS.map(({ path }) => [
      path,
      async () => async (given: CommandInput) => {
        [ran, input] = [path, given];
        if (given.args[0] === 'usage') throw new UsageError('cannot use that');
        if (given.args[0] === 'gone') throw Object.assign(new Error('not there'), { exitCode: 3 });
        if (given.args[0] === 'broken') throw new Error('it broke');
        return 7;
      },
    ]),
  );
  const { bad: _, ...known } = loaders;
  const written = { stderr: '', stdout: '' };
  const before = { stderr: process.stderr.write, stdout: process.stdout.write };
  for (const stream of ['stderr', 'stdout'] as const) {
    process[stream].write = (text: string | Uint8Array) => {
      written[stream] += text;
      return true;
    };
  }
  try {
    const code = await dispatch(SPECS, known, argv);
    return { code, ran, ...(input ? { input } : {}), said: written.stderr, shown: written.stdout };
  } finally {
    for (const stream of ['stderr', 'stdout'] as const) process[stream].write = before[stream];
  }
}

test('the longest path that matches is the command', async () => {
  assert.equal((await played('agent')).ran, 'agent');
  assert.equal((await played('agent', 'check')).ran, 'agent check');
  assert.deepEqual((await played('agent', 'x')).input?.args, ['x']);
  assert.equal((await played('node', 'list')).code, 7, 'the exit code is the command’s');
});

test('flags that every command with a server takes may stand before it', async () => {
  const { input } = await played('--server', 'http://h:1', '--json', '--ca=x', 'node', 'list', 'a', '--no-color');
  assert.deepEqual(input, {
    values: { server: 'http://h:1', json: true, ca: 'x', 'no-color': true },
    args: ['a'],
    rest: [],
  });
});

test('what is no command is named, and what it may have meant', async () => {
  for (const [argv, sentence] of [
    [['nod', 'list'], /^cairn: unknown command 'nod' \(Did you mean node\?\)\n$/],
    [['node', 'lst'], /^cairn: unknown command 'lst' \(Did you mean list\?\)\n$/],
    [['node'], /cairn node needs one of list, show/],
    [['node', '--json'], /cairn node needs one of list, show/],
    [['node', 'show', '--json'], /^cairn node show: .*--json/],
  ] as const) {
    const { code, said } = await played(...argv);
    assert.match(said, sentence);
    assert.equal(code, 2);
  }
});

test('a group that is asked for help shows its commands', async () => {
  for (const flag of ['--help', '-h']) {
    const { code, said, shown } = await played('node', flag);
    assert.deepEqual([code, said], [0, '']);
    assert.match(shown, /^ {2}cairn node list \[ID\] +node list\n {2}cairn node show \[ID\] +node show\n\n/);
  }
  const { shown } = await played('agent', '--help');
  assert.match(shown, /^Usage: cairn agent \[options\] \[ID\]\n/, 'a command that is a group too shows its own');
  assert.equal((await played('nod', '--help')).code, 2);
});

test('a failure is one sentence, and its exit code is its own', async () => {
  assert.deepEqual(
    [
      await played('agent', 'usage'),
      await played('agent', 'gone'),
      await played('agent', 'broken'),
      await played('bad'),
    ].map(({ code, said }) => [code, said]),
    [
      [2, 'cairn agent: cannot use that\n'],
      [3, 'cairn agent: not there\n'],
      [1, 'cairn agent: it broke\n'],
      [1, 'cairn bad: this installation does not have this command\n'],
    ],
  );
});
