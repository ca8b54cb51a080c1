/** `cairn support-bundle`: what somebody who helps needs to know of a server, in one file, without secrets. */
import { readFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { arch, platform, release } from 'node:os';
import { gzipSync } from 'node:zlib';
import type { CommandAction } from '../../src/base/command-input.ts';
import type { FileEntry } from '../../src/base/packages/entry.ts';
import { tarOf } from '../../src/base/packages/tar.ts';
import { bundleFiles, bundleName, readBundle } from '../../src/protocol/explain/support-bundle.ts';
import { EXIT, Failure } from '../api/failure.ts';
import { apiCommand, textFlag } from './session.ts';

export const supportBundle: CommandAction = apiCommand(async (session) => {
  const { client, screen } = session;
  // Without the server there is no bundle; without one of its answers there is one that says so.
  const contents = await readBundle(
    (path) => client.text(path),
    (error) => (error instanceof Failure && error.exitCode !== EXIT.notReached ? error.message : undefined),
  );
  const files = bundleFiles(contents, versions(client.server)).map(
    ({ name, text }): FileEntry => ({ kind: 'file', path: `/${name}`, mode: 0o600, bytes: Buffer.from(text) }),
  );
  const nowMs = Date.now();
  const bundle = bundleName(nowMs);
  const target = textFlag(session, 'to') ?? `${bundle}.tar.gz`;
  const bytes = gzipSync(tarOf(files, { prefix: `${bundle}/`, epoch: Math.floor(nowMs / 1_000) }));
  await save(target, bytes);
  for (const line of contents.missing) process.stderr.write(`cairn support-bundle: left out ${line}\n`);
  await screen.print(`wrote ${target} (${bytes.byteLength} bytes): look through it before you send it to anybody\n`);
  return undefined;
});

function versions(server: string): object {
  const path = new URL('../../../package.json', import.meta.url);
  const { version } = JSON.parse(readFileSync(path, 'utf8')) as { version: string };
  return { cairn: version, node: process.versions.node, system: `${platform()} ${release()} ${arch()}`, server };
}

async function save(target: string, bytes: Uint8Array): Promise<void> {
  try {
    await writeFile(`${target}.part`, bytes, { mode: 0o600 });
    await rename(`${target}.part`, target);
  } catch (error) {
    throw new Failure(`cannot write ${target}: ${(error as Error).message}`);
  }
}
