/** An earlier version of the program, built from its commit with the packages of this one, beside the checkout. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';

const BUILD_MS = 300_000;

/** Resolves with the path of the program. Types are not looked at: those of the packages may have changed since. */
export function buildCommit(commit: string, folder: string): string {
  mkdirSync(folder, { recursive: true });
  const options = { timeout: BUILD_MS, maxBuffer: 512 * 1024 * 1024 };
  const archive = execFileSync('git', ['archive', '--format=tar', commit], options);
  execFileSync('tar', ['-x', '-C', folder], { ...options, input: archive });
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  const compiler = resolve('node_modules/typescript/bin/tsc');
  const flags = ['--project', folder, '--noCheck'];
  execFileSync(process.execPath, [compiler, ...flags], { ...options, stdio: ['ignore', 'inherit', 'inherit'] });
  const program = join(folder, 'dist', 'src', 'main.js');
  if (!existsSync(program)) throw new Error(`the build of ${commit} made no ${program}`);
  return program;
}
