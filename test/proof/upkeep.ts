/**
 * SIGKILL in the middle of what a server does with its own data: the migration of an older database (with the backup before it),
 * and the merging and rolling up of series. The next start goes on, and every job and every sample is there, once. The amount is
 * the number of kills.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { seededRandom } from '../../src/base/random.ts';
import { SCHEMA_NUMBER } from '../../src/store/kv/schema.ts';
import { Api } from '../support/api.ts';
import { cairn } from '../support/operations/command.ts';
import { makeFolders, removeFolders, type ServerFolders, ServerProcess } from '../support/server-process.ts';
import { type Answers, canonical, faultsOfLists, lostFrom } from '../support/upgrade/answers.ts';
import { type FaultRule, FaultShim, hasCompiler } from './fault-shim.ts';
import { type Counts, type Machine, type MachineOptions, mustHold, pause, within } from './machine.ts';

const START_MS = 120_000;
/** A database of each earlier schema, with what the server of that version answered. */
const OLD_DATABASES = 'test/system/operations/schemas';
/** A sweep of the series begins a minute after the start; nothing else writes on a server that nobody calls. */
const SWEEP_MS = 60_000;
const ARM_MS = SWEEP_MS - 4_000;
const SWEEP_ENDS_MS = 12_000;
/** Waiting for a sweep costs nothing, so many servers wait at once. */
const LANES = 4;
const SERIES = 20;
const SAMPLES = 180;
const EVERY_MS = 17 * 60_000;

export const upkeep: Machine = { name: 'upkeep', short: 4, long: 48, run };

async function run({ seed, amount, say }: MachineOptions): Promise<Counts> {
  if (!hasCompiler()) {
    say('left out: no C compiler');
    return { kills: 0 };
  }
  const random = seededRandom(seed);
  const counts = { kills: 0, 'in migrations': 0, 'in rollups and merges': 0, samples: 0 };
  for (let done = 0; done < amount; done += LANES) {
    const lanes = Array.from({ length: Math.min(LANES, amount - done) }, (_, lane) => ({
      lane,
      skip: random.int(60),
      schema: 1 + random.int(SCHEMA_NUMBER - 1),
    }));
    const isMigration = (done / LANES) % 2 === 0;
    await Promise.all(
      lanes.map(async ({ lane, skip, schema }) => {
        const where = (place: number): string =>
          `kill ${done + lane} of seed ${seed}, at place ${place} of ${isMigration ? `a migration from schema ${schema}` : 'a sweep of the series'}`;
        const isKilled = isMigration
          ? await inMigrationAt(skip, schema, where, say)
          : await withFolders((folders, shim) => inSweep(folders, shim, skip, where(skip)));
        if (!isMigration) say(`${where(skip)}${isKilled ? '' : OVER}`);
        if (isKilled) counts[isMigration ? 'in migrations' : 'in rollups and merges']++;
        if (isKilled) counts.kills++;
        if (!isMigration) counts.samples += SERIES * SAMPLES;
      }),
    );
  }
  return counts;
}

const OVER = ': the work was over before';

async function withFolders<T>(use: (folders: ServerFolders, shim: FaultShim) => Promise<T>): Promise<T> {
  const folders = await makeFolders();
  const shim = new FaultShim(join(folders.data, '..', 'shim'));
  try {
    return await use(folders, shim);
  } finally {
    shim.close();
    await removeFolders(folders);
  }
}

/** How many calls a migration takes depends on the machine and the schema: where it was over before, the kill comes at half the place. */
async function inMigrationAt(
  skip: number,
  schema: number,
  where: (place: number) => string,
  say: (line: string) => void,
): Promise<boolean> {
  // The backup before it takes as many calls as the migration: every other kill is at the database itself.
  const isInside = skip % 2 === 1;
  for (let place = skip; ; place >>= 1) {
    const at = where(place);
    const isKilled = await withFolders((folders, shim) =>
      inMigration({ folders, shim, place, isInside, schema, where: at }),
    );
    say(`${at}${isKilled ? '' : OVER}`);
    if (isKilled) return true;
    mustHold(place === 0 ? ['not one call at its files was seen'] : [], at);
  }
}

const AT = { action: 'killAfter', times: 1 } as const satisfies Partial<FaultRule>;

interface InMigration {
  readonly folders: ServerFolders;
  readonly shim: FaultShim;
  readonly place: number;
  /** At the database itself, not in the backup before. */
  readonly isInside: boolean;
  readonly schema: number;
  readonly where: string;
}

/** Whether the kill struck before the work was done. */
async function inMigration({ folders, shim, place, isInside, schema, where }: InMigration): Promise<boolean> {
  const kept = async (name: string): Promise<Buffer> =>
    gunzipSync(await readFile(join(OLD_DATABASES, `schema-${schema}.${name}.gz`)));
  const before = JSON.parse((await kept('json')).toString()) as Answers;
  await mkdir(join(folders.data, 'db'), { recursive: true, mode: 0o700 });
  await writeFile(join(folders.data, 'db', 'data.mdb'), await kept('mdb'));
  const path = isInside ? '/data/db/data.mdb' : '/data/';
  shim.set({ ...AT, on: ['write', 'sync', 'rename'], path, skip: isInside ? 2 * place : place });
  const started = ServerProcess.start({ folders, env: shim.env() });
  const isKilled = await within(START_MS, `a start, ${where}`, started).then(
    async (server) => {
      const struck = shim.fired() > 0;
      await server.kill('SIGKILL');
      return struck;
    },
    () => shim.fired() > 0,
  );
  await withServer(folders, where, async (api) => {
    const answers: Record<string, unknown> = {};
    for (const path of Object.keys(before)) answers[path] = canonical((await api.get(path)).json);
    mustHold([...lostFrom(before, answers), ...(await faultsOfLists(api))], where);
  });
  const archive = join(folders.data, `before-${SCHEMA_NUMBER}.tar`);
  const verified = await cairn(['backup', 'verify', archive]);
  mustHold(verified.code === 0 ? [] : [`the backup before the migration: ${verified.err}`], where);
  const checked = await cairn(['verify', '--data-dir', folders.data]);
  mustHold(checked.code === 0 ? [] : [checked.out], where);
  return isKilled;
}

async function inSweep(folders: ServerFolders, shim: FaultShim, skip: number, where: string): Promise<boolean> {
  const nowMs = Date.now();
  await withServer(folders, where, (api) => sendSamples(api, nowMs));
  const server = await within(START_MS, `a start, ${where}`, ServerProcess.start({ folders, env: shim.env() }));
  try {
    await pause(ARM_MS);
    shim.set({ ...AT, on: ['write'], path: 'db/data.mdb', skip });
    await Promise.race([server.exited, pause(SWEEP_MS - ARM_MS + SWEEP_ENDS_MS)]);
  } finally {
    await server.kill('SIGKILL');
  }
  const isKilled = shim.fired() > 0;
  await withServer(folders, where, async (api) => {
    await mustHaveAll(api, nowMs, where);
    // What was left of the work is done now.
    await pause(SWEEP_MS + SWEEP_ENDS_MS);
    await mustHaveAll(api, nowMs, `${where}, after the next sweep`);
  });
  return isKilled;
}

async function withServer(folders: ServerFolders, where: string, use: (api: Api) => Promise<void>): Promise<void> {
  const server = await within(START_MS, `the next start, ${where}`, ServerProcess.start({ folders }));
  const api = new Api(server.address);
  try {
    await use(api);
  } finally {
    api.close();
    await within(START_MS, `the end of the server, ${where}`, server.kill('SIGTERM'));
  }
}

/** Whole numbers over two days and a bit, so that days have ended and sums are exact. */
async function sendSamples(api: Api, nowMs: number): Promise<void> {
  const definition = { name: 'Upkeep', description: '', unit: 'count', labels: [], aggregation: 'sum' };
  mustBeTaken(await api.put('/api/v1/metric/metricDef-upkeep', definition));
  for (let series = 0; series < SERIES; series++) {
    const samples = Array.from({ length: SAMPLES }, (_, i) => ({
      objectId: `upkeep-${series}`,
      definitionId: 'metricDef-upkeep',
      time: new Date(nowMs - i * EVERY_MS).toISOString(),
      value: i + series,
    }));
    mustBeTaken(await api.post('/api/v1/metricValue', samples));
  }
}

function mustBeTaken({ status, text }: { readonly status: number; readonly text: string }): void {
  if (status !== 200) throw new Error(`answered ${status} ${text.slice(0, 200)}`);
}

async function mustHaveAll(api: Api, nowMs: number, where: string): Promise<void> {
  const faults: string[] = [];
  const range = `start=${new Date(nowMs - 4 * 86_400_000).toISOString()}&end=${new Date(nowMs + 3_600_000).toISOString()}`;
  for (let series = 0; series < SERIES; series++) {
    const wanted = { count: SAMPLES, sum: (SAMPLES * (SAMPLES - 1)) / 2 + SAMPLES * series };
    for (const interval of ['1m', '30m', '24h'])
      for (const agg of ['count', 'sum'] as const) {
        const path = `/api/v1/metricValue/upkeep-${series}/metricDef-upkeep?interval=${interval}&agg=${agg}&${range}`;
        const { status, json, text } = await api.get(path);
        const points = status === 200 ? (json.points as { readonly value: number }[]) : [];
        const seen = points.reduce((sum, { value }) => sum + value, 0);
        if (seen !== wanted[agg])
          faults.push(
            `upkeep-${series} at ${interval}: ${agg} ${seen}, must be ${wanted[agg]}; ${status} ${text.slice(0, 80)}`,
          );
      }
  }
  mustHold(faults, where);
}
