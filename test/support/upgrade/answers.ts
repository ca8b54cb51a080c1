/** Everything that a server answers about what it holds, in a form in which two servers can be compared. */
import { JOB_DEFINITIONS, NODE_DEFINITIONS } from '../../../src/protocol/metric.ts';
import type { Api } from '../api.ts';

/** JSON by path; of a log its text. */
export type Answers = Readonly<Record<string, unknown>>;

export const LEVEL_INTERVALS = ['1m', '30m', '24h'] as const;

export interface Range {
  readonly start: string;
  readonly end: string;
}

/** Asks for every list, everything in the lists, and every series at every level. */
export async function answersOf(api: Api, { start, end }: Range): Promise<Answers> {
  const answers: Record<string, unknown> = {};
  const ask = async (path: string): Promise<unknown> => {
    const { status, text } = await api.get(path);
    if (status !== 200) throw new Error(`GET ${path} was answered ${status}: ${text.slice(0, 200)}`);
    answers[path] = canonical(parsed(text));
    return answers[path];
  };
  const range = `start=${start}&end=${end}`;
  for (const path of ['/api/v1/config', '/api/v1/config/history', '/api/v1/log/config', '/api/v1/security/idp'])
    await ask(path);
  await ask(`/api/v1/metrics/summary?${range}`);
  for (const { id } of (await ask('/api/v1/job')) as Named[]) await ask(`/api/v1/job/${encodeURIComponent(id)}`);
  for (const { id } of (await ask('/api/v1/node?state=all')) as Named[]) {
    await ask(`/api/v1/node/${id}`);
    for (const path of (await ask(`/api/v1/nodes/${id}/files`)) as string[]) await ask(path);
  }
  for (const { id } of (await ask('/api/v1/metric')) as Named[]) {
    const at = id.indexOf('.');
    const object = encodeURIComponent(id.slice(at + 1));
    for (const interval of LEVEL_INTERVALS)
      await ask(`/api/v1/metricValue/${object}/${id.slice(0, at)}?${range}&interval=${interval}`);
  }
  return answers;
}

interface Named {
  readonly id: string;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Names in order; without what goes on counting. */
export function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  const names = Object.keys(value).filter((name) => name !== 'workAtRisk' && name !== 'unsavedSeconds');
  return Object.fromEntries(names.sort().map((name) => [name, canonical((value as Record<string, unknown>)[name])]));
}

/** Metrics that a server describes in its own words; the next version may use other words. */
const OWN_DEFINITIONS = new Set([...JOB_DEFINITIONS, ...NODE_DEFINITIONS].map(({ id }) => id));

function isOwnWords(object: object, name: string): boolean {
  return name === 'description' && 'id' in object && OWN_DEFINITIONS.has(String(object.id));
}

/** Places where what was answered before is not answered any more. Fields, settings and paths that are new are none. */
export function lostFrom(before: Answers, after: Answers): string[] {
  const lost: string[] = [];
  const compare = (was: unknown, is: unknown, place: string): void => {
    if (typeof was !== 'object' || was === null || typeof is !== 'object' || is === null) {
      if (was !== is) lost.push(`${place}: was ${JSON.stringify(was)}, is ${JSON.stringify(is)}`.slice(0, 400));
    } else if (Array.isArray(was) && Array.isArray(is) && was.length !== is.length) {
      lost.push(`${place}: had ${was.length} entries, has ${is.length}`);
    } else
      for (const [name, part] of Object.entries(was).filter(([name]) => !isOwnWords(was, name)))
        compare(part, (is as Record<string, unknown>)[name], `${place} ${name}`);
  };
  for (const [path, answer] of Object.entries(before)) compare(answer, after[path], path);
  return lost;
}

/** What lists by a filter or in another order lack of what the whole list has: these are read from rows of their own. */
export async function faultsOfLists(api: Api): Promise<string[]> {
  const jobs = (await api.get('/api/v1/job')).json as ListedJob[];
  const faults: string[] = [];
  const check = async (query: string, expected: readonly ListedJob[]): Promise<void> => {
    const found = ((await api.get(`/api/v1/job?${query}`)).json as ListedJob[]).map(({ id }) => id);
    const wanted = expected.map(({ id }) => id);
    if (found.join() !== wanted.join()) faults.push(`job?${query}: wanted ${wanted.join()}, got ${found.join()}`);
  };
  const different = (field: 'queueName' | 'status' | 'nodeOid'): string[] => [
    ...new Set(jobs.map((job) => job[field])),
  ];
  for (const queue of different('queueName')) {
    const ofQueue = jobs.filter(({ queueName }) => queueName === queue);
    await check(`queue=${encodeURIComponent(queue)}`, ofQueue);
    for (const status of different('status'))
      await check(
        `queue=${encodeURIComponent(queue)}&status=${status}`,
        ofQueue.filter((job) => job.status === status),
      );
  }
  for (const status of different('status'))
    await check(
      `status=${status}`,
      jobs.filter((job) => job.status === status),
    );
  for (const node of different('nodeOid').filter((oid) => oid !== ''))
    await check(
      `node=${encodeURIComponent(node)}`,
      jobs.filter(({ nodeOid }) => nodeOid === node),
    );
  for (const job of jobs)
    await check(
      `q=${encodeURIComponent(job.id)}`,
      jobs.filter(({ id }) => id.includes(job.id)),
    );
  const byUpdate = jobs.toSorted((a, b) => order(a.updatedAt, b.updatedAt) || order(a.id, b.id));
  await check('sort=updatedAt', byUpdate);
  return faults;
}

interface ListedJob {
  readonly id: string;
  readonly queueName: string;
  readonly status: string;
  readonly nodeOid: string;
  readonly updatedAt: string;
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
