/** podman for tests: with storage of its own, and an image made of this machine's own shell. */
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CRIU } from '../../support/criu.ts';

const isThere = (program: string): boolean => {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

/** For `test(title, withPodman(), …)`. */
export function withPodman(): { readonly skip: false | string } {
  if (CRIU !== null && process.getuid?.() === 0 && isThere('podman') && isThere('runc')) return { skip: false };
  // A machine that decides for others must not take that for a pass.
  if (process.env['CI'] && process.getuid?.() === 0)
    throw new Error('there is no podman for the tests of containers: install podman and runc');
  return { skip: 'not run: there is no podman with runc (apt-get install podman runc, as root)' };
}

export const IMAGE = 'localhost/cairn-test:1';

/** What `CAIRN_PODMAN` is set to: podman with its storage in `folder`, which holds the image. */
export function podmanIn(folder: string): string {
  const program = join(folder, 'podman');
  mkdirSync(folder, { recursive: true });
  const storage = ['--root', join(folder, 'root'), '--runroot', join(folder, 'run')].join(' ');
  writeFileSync(program, `#!/bin/sh\nexec podman ${storage} "$@"\n`);
  chmodSync(program, 0o755);
  const files = join(folder, 'image');
  for (const path of ['tmp', 'proc', 'sys', 'dev', 'etc', 'bin']) mkdirSync(join(files, path), { recursive: true });
  for (const name of ['bash', 'sleep']) {
    const libraries = execFileSync('ldd', [`/bin/${name}`], { encoding: 'utf8' }).match(/\/[^ \n]+/g) ?? [];
    copyFileSync(`/bin/${name}`, join(files, 'bin', name));
    for (const library of libraries) {
      mkdirSync(join(files, dirname(library)), { recursive: true });
      copyFileSync(library, join(files, library));
    }
  }
  symlinkSync('bash', join(files, 'bin', 'sh'));
  const tar = execFileSync('tar', ['-C', files, '-cf', '-', '.'], { maxBuffer: 268_435_456 });
  execFileSync(program, ['import', '-', IMAGE], { input: tar, stdio: ['pipe', 'ignore', 'ignore'] });
  return program;
}
