/**
 * Upgrades the data folder of earlier versions to this one, and goes back: every answer must be the same.
 *
 * A commit is built and run beside the checkout, with the packages that are installed here. It gets a little of everything, of
 * which a part has time to leave the journal and a part has not.
 */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { storedSchema } from '../../../src/store/backup/upgrade.ts';
import { copyLmdb } from '../../../src/store/kv/lmdb-store.ts';
import { givenLine } from '../../../tools/command-line.ts';
import { Api } from '../../support/api.ts';
import { cairn } from '../../support/operations/command.ts';
import { type ServerFolders, ServerProcess } from '../../support/server-process.ts';
import { type Answers, answersOf, faultsOfLists, lostFrom } from '../../support/upgrade/answers.ts';
import { pause, within } from '../machine.ts';
import { Content, type Written } from './content.ts';
import { buildCommit } from './old-version.ts';

/** The first versions wrote samples from the journal into chunks once a minute. */
const LEAVES_JOURNAL_MS = 70_000;
const STOP_MS = 60_000;
/** What a database answers by itself, for as long as its 24h level is kept: the finer ones go after a week. */
const KEPT = /^\/api\/v1\/(job|node\b|metric\b|metricValue.*interval=24h)/;

const USAGE = `node dist/test/proof/upgrade/main.js COMMIT … [--keep FOLDER]

Upgrades the data folder of each commit's server to this one, and goes back. Ends with 1 where an answer differs.

  --keep FOLDER   keeps its database and answers, as the tests hold them
`;

const { values, positionals } = givenLine({
  usage: USAGE,
  options: { keep: { type: 'string' } },
  names: { what: 'commit', min: 1 },
});
let isBroken = false;
for (const commit of positionals) await upgradeFrom(commit);
process.exit(isBroken ? 1 : 0);

async function upgradeFrom(commit: string): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), 'cairn-upgrade-'));
  try {
    const program = buildCommit(commit, join(root, 'program'));
    const folders = { data: join(root, 'data'), log: join(root, 'log') };
    const content = await written(program, folders);
    const schema = await storedSchema(folders.data);
    if (values.keep !== undefined) await keep(values.keep, `schema-${schema}`, folders, content);
    const faults = await there(folders, content);
    const undone = await cairn(['restore', '--undo-upgrade', '--data-dir', folders.data]);
    // A folder of this very schema has nothing to undo.
    if (undone.code === 0) faults.push(...(await back(program, folders, content)));
    else if (schema !== (await storedSchema(folders.data))) faults.push(undone.err);
    say(`${commit} (schema ${schema}): ${faults.length === 0 ? 'every answer the same' : 'BROKEN'}`);
    for (const fault of faults.slice(0, 40)) say(`  ${fault}`);
    if (faults.length > 0) isBroken = true;
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

interface Held {
  readonly range: Written;
  readonly answers: Answers;
}

async function written(program: string, folders: ServerFolders): Promise<Held> {
  const t0 = Date.now() - 60_000;
  let range: Written | undefined;
  const answers = await served({ program, folders }, async (api) => {
    const content = new Content(api, t0);
    ({ range } = content);
    await content.first();
    await pause(LEAVES_JOURNAL_MS);
    await content.second();
    return answersOf(api, content.range);
  });
  return { range: range as Written, answers };
}

async function there(folders: ServerFolders, { range, answers }: Held): Promise<string[]> {
  return served({ folders }, async (api) => {
    const lost = lostFrom(answers, await answersOf(api, range)).map((fault) => `upgraded: ${fault}`);
    return [...lost, ...(await faultsOfLists(api))];
  });
}

async function back(program: string, folders: ServerFolders, { range, answers }: Held): Promise<string[]> {
  const again = await served({ program, folders }, (api) => answersOf(api, range));
  return [...lostFrom(answers, again), ...lostFrom(again, answers)].map((fault) => `back: ${fault}`);
}

async function served<T>(
  options: { readonly program?: string; readonly folders: ServerFolders },
  use: (api: Api) => Promise<T>,
): Promise<T> {
  const server = await ServerProcess.start(options);
  const api = new Api(server.address);
  try {
    return await use(api);
  } finally {
    api.close();
    await within(STOP_MS, 'the server to stop', server.kill('SIGTERM')).catch(() => server.kill('SIGKILL'));
  }
}

/** Its database, and what that answers. */
async function keep(target: string, name: string, { data }: ServerFolders, { answers }: Held): Promise<void> {
  await mkdir(target, { recursive: true });
  const copy = await mkdtemp(join(tmpdir(), 'cairn-upgrade-'));
  await copyLmdb(join(data, 'db'), copy);
  await writeFile(join(target, `${name}.mdb.gz`), gzipSync(await readFile(join(copy, 'data.mdb')), { level: 9 }));
  await rm(copy, { recursive: true });
  const inDatabase = Object.entries(answers).filter(([path]) => KEPT.test(path));
  await writeFile(
    join(target, `${name}.json.gz`),
    gzipSync(JSON.stringify(Object.fromEntries(inDatabase)), { level: 9 }),
  );
  say(`kept ${name} in ${target}`);
}

function say(text: string): void {
  process.stdout.write(`upgrade: ${text}\n`);
}
