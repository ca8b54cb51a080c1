/**
 * Many clients on few objects, through kills of the server: every call and answer is recorded, and each object's history
 * must be linearizable. Objects: a node, a job's name, a setting, a log's end, a claim, a job's events. The amount is the
 * number of rounds; each has new objects and one kill.
 */
import { performance } from 'node:perf_hooks';
import { type Random, seededRandom } from '../../src/base/random.ts';
import { type Answer, Api } from '../support/api.ts';
import { ServerProcess } from '../support/server-process.ts';
import { isLinearizable, type Model, type Operation } from './linearizable.ts';
import { BrokenPromise, type Counts, type Machine, type MachineOptions, pause, within } from './machine.ts';

export const CLIENTS = 5;
/** Calls of one client on one object. */
export const CALLS = 6;
export const ROUND_MS = 60_000;

interface Call {
  readonly what: string;
  readonly value: string;
}

/** `taken` false: refused in the way that the model knows. */
interface Reply {
  readonly taken: boolean;
  readonly value: string;
}

type ObjectModel = Model<Call, Reply, string>;
export type Recorded = Operation<Call, Reply>;

interface Kind {
  readonly name: string;
  readonly model: ObjectModel;
  readonly begin?: (api: Api, id: string) => Promise<unknown>;
  readonly next: (random: Random, tag: string) => Call;
  /** Undefined where the answer does not say whether it happened. */
  readonly send: (api: Api, id: string, call: Call) => Promise<Reply | undefined>;
}

export const history: Machine = { name: 'history', short: 6, long: 500, run };

const registerModel: ObjectModel = {
  initial: '',
  step: (state, { what, value }, output) => {
    if (what === 'write') return value;
    return output === undefined || output.value === state ? state : undefined;
  },
  text: (state) => state,
};

/** State: the size. A call appends `value` = `offset+length`. */
const logModel: ObjectModel = {
  initial: '0',
  step: (state, { value }, output) => {
    const [offset = '', length = ''] = value.split('+');
    const isNext = offset === state;
    if (output === undefined) return isNext ? String(Number(state) + Number(length)) : state;
    if (output.taken !== isNext) return undefined;
    const after = isNext ? String(Number(state) + Number(length)) : state;
    return output.value === after ? after : undefined;
  },
  text: (state) => state,
};

/** State: `node epoch`. A claim is refused while another node holds it, which is told with its epoch. */
const claimModel: ObjectModel = {
  initial: ' 0',
  step: (state, { value: node }, output) => {
    const [holder = '', epoch = ''] = state.split(' ');
    const isFree = holder === '' || holder === node;
    if (output === undefined) return isFree ? `${node} ${epoch}` : state;
    const [toldNode = '', toldEpoch = ''] = output.value.split(' ');
    if (!output.taken)
      return !isFree && toldNode === holder && Number(toldEpoch) >= Number(epoch) ? output.value : undefined;
    return isFree && Number(toldEpoch) > Number(epoch) ? `${node} ${toldEpoch}` : undefined;
  },
  text: (state) => state,
};

/** State: the members, sorted. */
const setModel: ObjectModel = {
  initial: '',
  step: (state, { what, value }, output) => {
    if (what === 'read') return output === undefined || output.value === state ? state : undefined;
    const members = state === '' ? [] : state.split(',');
    return members.includes(value) ? state : [...members, value].sort().join(',');
  },
  text: (state) => state,
};

const readOrWrite = (random: Random, tag: string): Call =>
  random.chance(0.5) ? { what: 'read', value: '' } : { what: 'write', value: tag };

function replyOf({ status, text }: Answer, value: () => string): Reply | undefined {
  if (status === 200) return { taken: true, value: value() };
  if (status === 503 && isRefusal(text)) throw new Refused();
  if (status === 503 || status === 500 || status === 507) return undefined;
  throw new BrokenPromise(`answered ${status} ${text.slice(0, 300)}`);
}

/** A server of a cluster says so where a write that it passed on may have been applied (contract section 8). */
const isRefusal = (text: string): boolean =>
  /"errorCode":300[23]/.test(text) && !/may (also )?have been applied/.test(text);

/** The call was not taken: it is no part of the history. */
export class Refused extends Error {}

const NODE: Kind = {
  name: 'node',
  model: registerModel,
  next: readOrWrite,
  send: async (api, id, { what, value }) => {
    const path = `/api/v1/node/${id}`;
    if (what === 'write') return replyOf(await api.put(path, { hostName: value }), () => '');
    const answer = await api.get(path);
    if (answer.status === 404) return { taken: true, value: '' };
    return replyOf(answer, () => answer.json.hostName);
  },
};

const JOB: Kind = {
  name: 'job',
  model: registerModel,
  next: readOrWrite,
  send: async (api, id, { what, value }) => {
    if (what === 'write') return replyOf(await api.post('/api/v1/job', { id, queueName: 'q', name: value }), () => '');
    const answer = await api.get(`/api/v1/job/${id}`);
    if (answer.status === 404) return { taken: true, value: '' };
    return replyOf(answer, () => answer.json.name);
  },
};

const EVENTS: Kind = {
  name: 'events',
  model: setModel,
  next: (random, tag) => (random.chance(0.5) ? { what: 'read', value: '' } : { what: 'add', value: tag }),
  send: async (api, id, { what, value }) => {
    if (what === 'add') {
      const event = { eventType: 'Job-Running', timestamp: '2026-01-31T08:00:00Z', detail: value };
      return replyOf(await api.post(`/api/v1/job/${id}/event?queueName=q`, event), () => '');
    }
    const answer = await api.get(`/api/v1/job/${id}`);
    if (answer.status === 404) return { taken: true, value: '' };
    return replyOf(answer, () =>
      (answer.json.events as { detail: string }[])
        .map(({ detail }) => detail)
        .sort()
        .join(','),
    );
  },
};

const SETTING: Kind = {
  name: 'setting',
  // All rounds share it: the first write of each is made before the others begin.
  model: registerModel,
  begin: (api, id) => api.configKv({ 'job.customTags': `${id}:first` }),
  next: readOrWrite,
  send: async (api, id, { what, value }) => {
    const read = (answer: Answer): string => {
      const seen = String(answer.json.job.customTags[id]);
      return seen === 'first' ? '' : seen;
    };
    if (what === 'write') return replyOf(await api.configKv({ 'job.customTags': `${id}:${value}` }), () => '');
    const answer = await api.get('/api/v1/config');
    return replyOf(answer, () => read(answer));
  },
};

const LOG: Kind = {
  name: 'log',
  model: logModel,
  begin: (api, id) => api.put(`/api/v1/node/${id}`, { hostName: 'h' }),
  next: (random) => ({ what: 'append', value: `${10 * random.int(8)}+10` }),
  send: async (api, id, { value }) => {
    const [offset = '', length = ''] = value.split('+');
    const path = `/api/v1/nodes/${id}/files/log?offset=${offset}`;
    const answer = await api.post(path, `${'x'.repeat(Number(length) - 1)}\n`);
    if (answer.status === 409) return { taken: false, value: String(answer.json.fields.size) };
    return replyOf(answer, () => String(answer.json.size));
  },
};

const CLAIM: Kind = {
  name: 'claim',
  model: claimModel,
  begin: async (api, id) => {
    for (const name of ['a', 'b']) await api.put(`/api/v1/node/${id}-${name}`, { hostName: 'h' });
  },
  next: (random) => ({ what: 'claim', value: random.pick(['a', 'b']) }),
  send: async (api, id, { value }) => {
    const answer = await api.put(`/api/v1/job/${id}/claim`, { nodeId: `${id}-${value}`, queueName: 'q' });
    if (answer.status === 409) {
      const { nodeId, epoch } = answer.json.fields;
      return { taken: false, value: `${String(nodeId).at(-1)} ${epoch}` };
    }
    return replyOf(answer, () => `${value} ${answer.json.epoch}`);
  },
};

export const KINDS: readonly Kind[] = [NODE, JOB, EVENTS, SETTING, LOG, CLAIM];

async function run({ seed, amount, say }: MachineOptions): Promise<Counts> {
  const random = seededRandom(seed);
  let server = await ServerProcess.start({ args: ['--shards', '2'] });
  const counts = { rounds: 0, operations: 0, unanswered: 0, kills: 0 };
  try {
    for (let round = 0; round < amount; round++) {
      const objects = newObjects(`${seed}-${round}`);
      const api = new Api(server.address);
      for (const { kind, id } of objects) await kind.begin?.(api, id);
      const clients = Array.from({ length: CLIENTS }, (_, number) => work(api, random, objects, number));
      const kill = round % 2 === 1;
      if (kill) {
        await pause(random.between(5, 60));
        await within(ROUND_MS, 'the end of the killed server', server.kill('SIGKILL'));
        counts.kills++;
      }
      await within(ROUND_MS, 'the answers of a round', Promise.all(clients));
      api.close();
      if (kill) {
        server = await ServerProcess.start({ folders: server.folders, args: ['--shards', '2'] });
        await readAll(server, random, objects);
      }
      for (const { calls } of objects) {
        counts.operations += calls.length;
        counts.unanswered += calls.filter(({ output }) => output === undefined).length;
      }
      mustBeLinearizable(objects);
      counts.rounds++;
      if (counts.rounds % 50 === 0) say(`${counts.rounds} rounds, ${counts.operations} operations`);
    }
    return counts;
  } finally {
    await server.dispose();
  }
}

export function newObjects(tag: string): TestedObject[] {
  return KINDS.map((kind) => ({ kind, id: `${kind.name}-${tag}`, calls: [] }));
}

export function mustBeLinearizable(objects: readonly TestedObject[]): void {
  for (const { kind, calls } of objects)
    if (!isLinearizable(kind.model, calls)) throw new BrokenPromise(`${kind.name} is not linearizable: ${show(calls)}`);
}

export interface TestedObject {
  readonly kind: Kind;
  readonly id: string;
  readonly calls: Recorded[];
}

async function work(api: Api, random: Random, objects: readonly TestedObject[], client: number): Promise<void> {
  for (let i = 0; i < CALLS; i++)
    for (const object of objects) {
      const isBroken = await recorded(api, object, object.kind.next(random, `${client}-${i}`));
      if (isBroken) return;
    }
}

/** What is there after a kill is read by every client, as often as it likes. */
async function readAll(server: ServerProcess, random: Random, objects: readonly TestedObject[]): Promise<void> {
  const api = new Api(server.address);
  for (const object of objects)
    for (let i = 0; i < 3; i++) await recorded(api, object, object.kind.next(random, `after-${i}`));
  api.close();
}

/** Whether the connection broke. */
export async function recorded(api: Api, { kind, id, calls }: TestedObject, input: Call): Promise<boolean> {
  const calledAt = performance.now();
  try {
    const output = await kind.send(api, id, input);
    calls.push({
      input,
      output,
      calledAt,
      answeredAt: output === undefined ? Number.POSITIVE_INFINITY : performance.now(),
    });
    return false;
  } catch (error) {
    if (error instanceof BrokenPromise) throw error;
    if (error instanceof Refused) return false;
    calls.push({ input, output: undefined, calledAt, answeredAt: Number.POSITIVE_INFINITY });
    return true;
  }
}

function show(calls: readonly Recorded[]): string {
  const line = ({ input, output, calledAt, answeredAt }: Recorded): string =>
    `${calledAt.toFixed(2)}–${answeredAt.toFixed(2)} ${input.what} ${input.value} → ${output ? `${output.taken} ${output.value}` : '?'}`;
  return `\n  ${[...calls]
    .sort((a, b) => a.calledAt - b.calledAt)
    .map(line)
    .join('\n  ')}`;
}
