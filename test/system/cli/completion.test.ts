/** What a person gets who presses Tab in a shell: the shell itself, on a terminal (contract section 11). */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Api } from '../../support/api.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { withServer } from '../../support/with-server.ts';
import { MAIN } from './cairn.ts';

let api: Api;

withServer({}, async (served) => {
  ({ api } = served);
  const answer = await api.post('/api/v1/job', [
    { id: 'arn:aws:batch:77', queueName: 'night shift' },
    { id: 'render-1', queueName: 'day' },
    { id: 'render-2', queueName: 'day' },
  ]);
  assert.equal(answer.status, 200, answer.text);
});

const SHELL_MS_MAX = 60_000;

/** What was typed, and the arguments that the command then gets. */
const CASES: ReadonlyArray<readonly [typed: string, args: readonly string[]]> = [
  ['cairn job sh\t arn\t', ['job', 'show', 'arn:aws:batch:77']],
  ['cairn job show arn:aw\t', ['job', 'show', 'arn:aws:batch:77']],
  ['cairn job show arn:\t', ['job', 'show', 'arn:aws:batch:77']],
  ['cairn job show ren\t2', ['job', 'show', 'render-2']],
  ['cairn job list --que\t ni\t', ['job', 'list', '--queue', 'night shift']],
  ['cairn job list --queue night\\ s\t', ['job', 'list', '--queue', 'night shift']],
  ['cairn node list --state=lo\t', ['node', 'list', '--state=lost']],
  ['cairn node list --state=\t', ['node', 'list', '--state=']],
];

interface ShellCase {
  readonly program: string;
  readonly args: (folder: string) => readonly string[];
  readonly rcFile: string;
  readonly rc: string;
}

const SHELLS: readonly ShellCase[] = [
  {
    program: 'bash',
    args: (folder) => ['--noprofile', '--rcfile', join(folder, 'bashrc'), '-i'],
    rcFile: 'bashrc',
    rc: 'source <(cairn completion bash)\n',
  },
  {
    program: 'zsh',
    args: () => ['-i'],
    rcFile: '.zshrc',
    rc: 'autoload -U compinit; compinit -u; unsetopt AUTO_MENU AUTO_LIST; source <(cairn completion zsh)\n',
  },
];

for (const shell of SHELLS)
  test(`Tab completes commands, flags and ids in ${shell.program}`, (context) => tabs(shell, context));

async function tabs({ program, args, rcFile, rc }: ShellCase, context: TestContext): Promise<void> {
  // `script` (bsdutils) is what gives the shell a terminal.
  for (const needed of ['script', program]) {
    if (spawnSync(needed, ['--version'], { timeout: 10_000 }).error) return context.skip(`${needed} is not installed`);
  }
  const folder = await temporaryFolder(context);
  await writeFile(join(folder, rcFile), rc);
  await writeFile(
    join(folder, 'cairn'),
    `#!/bin/sh
case "$1" in __complete|completion) exec '${process.execPath}' '${MAIN}' "$@";; esac
printf 'got'; for arg; do printf '<%s>' "$arg"; done; echo
`,
  );
  await chmod(join(folder, 'cairn'), 0o755);
  const child = spawn('script', ['-qec', [program, ...args(folder)].join(' '), '/dev/null'], {
    cwd: folder,
    env: {
      PATH: `${folder}:${process.env['PATH']}`,
      HOME: folder,
      ZDOTDIR: folder,
      TERM: 'dumb',
      CAIRN_SERVER: api.base,
    },
    stdio: ['pipe', 'pipe', 'inherit'],
    timeout: SHELL_MS_MAX,
    killSignal: 'SIGKILL',
  });
  let screen = '';
  child.stdout.on('data', (chunk: Buffer) => {
    screen += chunk;
  });
  child.stdin.end([...CASES.map(([typed]) => typed), 'exit'].map((line) => `${line}\n`).join(''));
  await new Promise((resolve) => child.once('close', resolve));
  const got = [...screen.matchAll(/^got(<.*>)\r?$/gm)].map(([, text]) => text);
  const wanted = CASES.map(([, words]) => words.map((word) => `<${word}>`).join(''));
  assert.deepEqual(got, wanted, screen);
}
