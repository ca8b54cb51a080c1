/** `cairn support-bundle`: what somebody who helps needs to know of a server, in one file, without secrets. */
import { readFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { arch, platform, release } from 'node:os';
import { gzipSync } from 'node:zlib';
import type { CommandAction } from '../../src/base/command-input.ts';
import type { FileEntry } from '../../src/base/packages/entry.ts';
import { tarOf } from '../../src/base/packages/tar.ts';
import { EXIT, Failure } from '../api/failure.ts';
import { apiCommand, type Session, segment, textFlag } from './session.ts';

/** Lines of each log; a line of the server log has some hundred bytes. */
const LOG_LINES = '5000';
/** Names of settings whose values are nobody else's business. */
const SECRET = /secret|password|token|credential|private/i;

export const supportBundle: CommandAction = apiCommand(async (session) => {
  const { client, screen } = session;
  const missing: string[] = [];
  const files: FileEntry[] = [];
  const add = (name: string, text: string): void => {
    files.push({ kind: 'file', path: `/${name}`, mode: 0o600, bytes: Buffer.from(text) });
  };
  const part = async (name: string, read: () => Promise<string>): Promise<void> => {
    try {
      add(name, await read());
    } catch (error) {
      // Without the server there is no bundle; without one of its answers there is one that says so.
      if (!(error instanceof Failure) || error.exitCode === EXIT.notReached) throw error;
      missing.push(`${name}: ${error.message}`);
    }
  };
  await part('config.json', async () => withoutSecrets(await client.text('/api/v1/config')));
  await part('config-history.json', async () => withoutSecrets(await client.text('/api/v1/config/history')));
  await part('ready.json', () => client.text('/readyz'));
  await part('doctor.json', () => client.text('/api/v1/doctor'));
  await part('metrics.txt', () => client.text('/metrics'));
  await part('queues.json', () => client.text('/api/v1/queue'));
  for (const kind of ['', '-access']) await part(`server${kind}.log`, () => lastLines(session, kind));
  add('versions.json', `${JSON.stringify(versions(client.server), null, 2)}\n`);
  if (missing.length > 0) add('missing.txt', `${missing.join('\n')}\n`);
  const nowMs = Date.now();
  const stamp = new Date(nowMs).toISOString().replace(/[:.]/g, '-').slice(0, 19);
  const target = textFlag(session, 'to') ?? `cairn-support-${stamp}.tar.gz`;
  const bytes = gzipSync(tarOf(files, { prefix: `cairn-support-${stamp}/`, epoch: Math.floor(nowMs / 1_000) }));
  await save(target, bytes);
  for (const line of missing) process.stderr.write(`cairn support-bundle: left out ${line}\n`);
  await screen.print(`wrote ${target} (${bytes.byteLength} bytes): look through it before you send it to anybody\n`);
  return undefined;
});

async function lastLines({ client }: Session, kind: string): Promise<string> {
  const { log } = await client.json<{ log: { file: string } }>('/api/v1/config');
  const name = (log.file.split('/').at(-1) ?? '').replace(/\.log$/, '');
  return client.text(`/${segment(name)}${kind}.log`, { query: { tail: LOG_LINES } });
}

/** By name: also what is no secret today, such as a setting of a later version. */
function withoutSecrets(text: string): string {
  const hide = (key: string, value: unknown): unknown =>
    SECRET.test(key) && typeof value === 'string' && value !== '' ? '(left out)' : value;
  return `${JSON.stringify(JSON.parse(text), hide, 2)}\n`;
}

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
