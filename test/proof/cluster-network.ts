/**
 * Three machines, each with an engine and a server, of which one after the other is parted from the two others. These go on within
 * 15 s; the parted one answers reads, and refuses what it cannot know. Afterwards all have all that was acknowledged. The amount is the
 * number of partitions. Needs root.
 */
import { until } from '../support/api.ts';
import { enginesAbsent } from '../support/cluster/engines.ts';
import { type Machine as Host, Machines } from '../support/cluster/machines.ts';
import { lanAbsent } from '../support/network/lan.ts';
import { type Counts, type Machine, type MachineOptions, mustHold } from './machine.ts';

const SETTLE_MS = 120_000;
const CALL_MS = 3_000;

export const clusterNetwork: Machine = { name: 'cluster-network', short: 0, long: 30, run };

async function run({ amount, say }: MachineOptions): Promise<Counts> {
  const absent = enginesAbsent() ?? lanAbsent();
  if (absent !== null) {
    say(`left out: ${absent}`);
    return { partitions: 0 };
  }
  const machines = await Machines.start();
  const acknowledged: string[] = [];
  try {
    for (let round = 0; round < amount; round++) {
      const leader = await settled(machines.all);
      acknowledged.push(await written(machines.all, `before-${round}`));
      const parted = round % 2 === 0 ? leader : (machines.all.find((host) => host !== leader) as Host);
      const others = machines.all.filter((host) => host !== parted);
      parted.part();
      const begunMs = performance.now();
      acknowledged.push(await written(others, `while-${round}`));
      const secondsAway = ((performance.now() - begunMs) / 1_000).toFixed(1);
      say(
        `${parted === leader ? 'the leader' : 'a follower'} was parted: the others took a write ${secondsAway} s later`,
      );
      mustHold(await faultsOf(parted, `before-${round}`), `round ${round}: the parted server`);
      parted.heal();
      await settled(machines.all);
      for (const host of machines.all) mustHold(await lackingAt(host, acknowledged), `round ${round}: at ${host.url}`);
    }
    return { partitions: amount, 'acknowledged writes': acknowledged.length };
  } finally {
    await machines.stop();
  }
}

/** Who leads, when one does and the others follow it. */
async function settled(hosts: readonly Host[]): Promise<Host> {
  const roles = (): Promise<string[]> =>
    Promise.all(
      hosts.map(async ({ url }) => {
        const answer = await ask(`${url}/readyz`);
        return answer?.status === 200 ? ((await answer.json()) as { role: string }).role : 'away';
      }),
    );
  const found = await until(
    roles,
    (all) =>
      all.filter((role) => role === 'leader').length === 1 && all.filter((role) => role === 'follower').length === 2,
    'one server to lead, and the others to follow',
    SETTLE_MS,
  );
  return hosts[found.indexOf('leader')] as Host;
}

/** Registers a node at whichever takes it; its id. */
async function written(hosts: readonly Host[], id: string): Promise<string> {
  const body = JSON.stringify({ hostName: id });
  const headers = { 'content-type': 'application/json' };
  const attempt = async (): Promise<boolean> => {
    for (const { url } of hosts)
      if ((await ask(`${url}/api/v1/node/${id}`, { method: 'PUT', headers, body }))?.status === 200) return true;
    return false;
  };
  await until(attempt, (isTaken) => isTaken, `a server to take ${id}`, SETTLE_MS);
  return id;
}

/** Reads go on there, with how far behind; what it cannot know is refused. */
async function faultsOf(parted: Host, known: string): Promise<string[]> {
  await until(
    () => parted.inside('GET', '/readyz').catch(() => ({ status: 0 })),
    ({ status }) => status === 503,
    'the parted server to know that it is cut off',
    SETTLE_MS,
  );
  const faults: string[] = [];
  const read = await until(
    () => parted.inside('GET', `/api/v1/node/${known}`).catch(() => ({ status: 0, text: '', head: '' })),
    ({ status }) => status !== 0,
    'an answer of the parted server',
    SETTLE_MS,
  );
  if (read.status !== 200) faults.push(`a read was answered ${read.status} ${read.text}`);
  if (!/^x-cairn-behind-ms: \d+\r?$/im.test(read.head)) faults.push(`a read does not say how far behind: ${read.head}`);
  for (const [method, path, body] of [
    ['PUT', '/api/v1/node/at-the-parted', { hostName: 'h' }],
    ['GET', '/api/v1/node?consistent=true', undefined],
  ] as const) {
    // One that led exchanges its parts, and refuses connections meanwhile.
    const { status, text } = await until(
      () => parted.inside(method, path, body).catch(() => ({ status: 0, text: '' })),
      (answer) => answer.status !== 0,
      'an answer of the parted server',
      SETTLE_MS,
    );
    if (status !== 503 || !/"errorCode":3003/.test(text))
      faults.push(`${method} ${path} was answered ${status} ${text}`);
  }
  return faults;
}

async function lackingAt({ url }: Host, acknowledged: readonly string[]): Promise<string[]> {
  const nodes = await until(
    () => ask(`${url}/api/v1/node?state=all&consistent=true`),
    (answer) => answer?.status === 200,
    'a consistent answer',
    SETTLE_MS,
  );
  const listed = new Set(((await (nodes as Response).json()) as { id: string }[]).map(({ id }) => id));
  const more = listed.has('at-the-parted') ? ['it has a write that was refused'] : [];
  return [...acknowledged.filter((id) => !listed.has(id)).map((id) => `${id} is not there`), ...more];
}

async function ask(url: string, init: RequestInit = {}): Promise<Response | null> {
  return fetch(url, { ...init, signal: AbortSignal.timeout(CALL_MS) }).catch(() => null);
}
