/**
 * SIGKILL of `cairn backup` and of `cairn restore` at any moment, of a server that works meanwhile: the archive that was there is
 * whole, or the new one is; folders are as they were, restored, or said to be unfinished, and the next run mends them. Then as
 * many archives with one flipped byte, each of which must be found. The amount is kills of each, and flips.
 */
import { copyFile, mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type Random, seededRandom } from '../../src/base/random.ts';
import { LOCK_FILES } from '../../src/store/files/data-directory-lock.ts';
import { type CommandResult, cairn } from '../support/operations/command.ts';
import { AuditedServer } from './audited-server.ts';
import { BrokenPromise, type Counts, type Machine, type MachineOptions, pause } from './machine.ts';

export const archives: Machine = { name: 'archives', short: 2, long: 50, run };

/** Each client calls so often: enough that every backup meets changes, and the commands have the processors. */
const CALL_EVERY_MS = 50;
/** So long the server works before there is something to back up. */
const FILL_MS = 3_000;
const UNFINISHED = '.cairn-restore';

async function run({ seed, amount, say }: MachineOptions): Promise<Counts> {
  const random = seededRandom(seed);
  const server = await AuditedServer.start({ pauseMs: CALL_EVERY_MS });
  try {
    server.work();
    await pause(FILL_MS);
    const archive = await killBackups(server, random, amount);
    await server.rest();
    say(`${amount} backups were killed`);
    await killRestores(server, archive, random, amount);
    say(`${amount} restores were killed`);
    await flipBytes(archive, random, amount);
    return { 'kills of backup': amount, 'kills of restore': amount, flips: amount, facts: server.acknowledged };
  } finally {
    await server.dispose();
  }
}

/** Resolves with an archive that is whole. */
async function killBackups(server: AuditedServer, random: Random, kills: number): Promise<string> {
  const folder = join(server.folder, 'archives');
  await mkdir(folder);
  const archive = join(folder, 'a.tar');
  const args = ['backup', '--data-dir', server.dataFolder, '--log-dir', join(server.folder, 'log'), '--to', archive];
  const takesMs = await timeOf(args);
  for (let kill = 0; kill < kills; kill++) {
    await killed(args, random.between(0, takesMs * 1.1));
    const verdict = await cairn(['backup', 'verify', archive]);
    if (verdict.code !== 0) throw new BrokenPromise(`kill ${kill} left half an archive: ${verdict.err}`);
  }
  mustBeWell(await cairn(args), 'the backup after the kills');
  const left = await readdir(folder);
  if (left.join() !== 'a.tar') throw new BrokenPromise(`the kills left ${left.join(', ')}`);
  return archive;
}

async function killRestores(server: AuditedServer, archive: string, random: Random, kills: number): Promise<void> {
  const root = join(server.folder, 'restored');
  const [data, log] = [join(root, 'data'), join(root, 'log')];
  const args = ['restore', archive, '--data-dir', data, '--log-dir', log];
  const takesMs = await timeOf(args);
  const whole = await namesBelow(root);
  await rm(root, { recursive: true });
  for (let kill = 0; kill < kills; kill++) {
    await killed(args, random.between(0, takesMs * 1.1));
    const names = await readdir(data).catch((): string[] => []);
    const isThere = names.some((name) => name !== UNFINISHED && !LOCK_FILES.includes(name));
    if (names.includes(UNFINISHED)) {
      const serve = ['serve', '--data-dir', data, '--log-dir', log, '--addr', 'http://127.0.0.1:0'];
      const { code, err } = await cairn(serve);
      if (code !== 1 || !err.includes('run cairn restore again'))
        throw new BrokenPromise(`kill ${kill}: a server on unfinished folders ended with ${code}: ${err}`);
      continue;
    }
    if (isThere) {
      const found = await namesBelow(root);
      if (found.join() !== whole.join()) throw new BrokenPromise(`kill ${kill} left half a restore: ${found.join()}`);
      await rm(root, { recursive: true });
    }
  }
  if ((await readdir(data).catch((): string[] => [])).includes('config.json')) await rm(root, { recursive: true });
  mustBeWell(await cairn(args), 'the restore after the kills');
  const found = await namesBelow(root);
  if (found.join() !== whole.join()) throw new BrokenPromise(`after the kills a restore brings ${found.join()}`);
}

async function flipBytes(archive: string, random: Random, flips: number): Promise<void> {
  const damaged = `${archive}.damaged`;
  const { size } = await stat(archive);
  for (let flip = 0; flip < flips; flip++) {
    await copyFile(archive, damaged);
    const at = random.int(size);
    const file = await open(damaged, 'r+');
    const byte = Buffer.alloc(1);
    await file.read(byte, 0, 1, at);
    byte[0] = (byte[0] as number) ^ (1 << random.int(8));
    await file.write(byte, 0, 1, at);
    await file.close();
    const { code, err } = await cairn(['backup', 'verify', damaged]);
    if (code !== 1 || !/damaged at \S+/.test(err))
      throw new BrokenPromise(`byte ${at} of ${size} was flipped, and verify ended with ${code}: ${err}`);
  }
  await rm(damaged);
}

async function timeOf(args: readonly string[]): Promise<number> {
  const begunMs = performance.now();
  mustBeWell(await cairn(args), args.join(' '));
  return performance.now() - begunMs;
}

function killed(args: readonly string[], afterMs: number): Promise<CommandResult> {
  return cairn(args, (child) => {
    const timer = setTimeout(() => child.kill('SIGKILL'), afterMs);
    child.once('exit', () => clearTimeout(timer));
  });
}

function mustBeWell({ code, err }: CommandResult, what: string): void {
  if (code !== 0) throw new BrokenPromise(`${what} ended with ${code}: ${err}`);
}

/** Files that a restore brings, without those that only say who has the folder. */
async function namesBelow(root: string): Promise<string[]> {
  const names = await readdir(root, { recursive: true });
  return names.filter((name) => !LOCK_FILES.includes(basename(name)) && basename(name) !== 'lock.mdb').sort();
}
