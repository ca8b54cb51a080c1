/** What a call of job updates answers, with real job actors behind it and no server around it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jobAddress } from '../../../../../src/actors/job/messages.ts';
import type { AnyAddress, AnyMessage } from '../../../../../src/actors/runtime/address.ts';
import { ERROR_CODES } from '../../../../../src/base/error-codes.ts';
import { CodedError, type ErrorName, errorOf, type Failure, UNCONFIRMED } from '../../../../../src/base/errors.ts';
import type { HandlerServices } from '../../../../../src/gateway/handlers/handler.ts';
import { OF_ONE_UPDATE } from '../../../../../src/gateway/handlers/jobs/job-updates.ts';
import { getJob, postJobEvents, postJobs } from '../../../../../src/gateway/handlers/jobs/jobs.ts';
import type { JobDetail, JobUpdateReply } from '../../../../../src/protocol/job.ts';
import { SERIES_MAX } from '../../../../../src/protocol/metric.ts';
import { textKey } from '../../../../../src/store/kv/keys.ts';
import { WriteBatch } from '../../../../../src/store/kv/write-batch.ts';
import { encodeNodeRecord } from '../../../../../src/store/records/node-record.ts';
import { newExchange } from '../../../../support/fake-exchange.ts';
import { event, eventAt } from '../../../../support/job-events.ts';
import { JobWorld } from '../../../../support/job-world.ts';

class JobGateway {
  readonly world = new JobWorld();
  /** What the server believes to be the number of series. */
  readonly stats = { seriesCount: 0 };
  /** Id of the node whose token calls carry. */
  tokenOf: string | undefined;
  /** What every update fails with, whatever it is. */
  failure: ErrorName | undefined;
  readonly #services: HandlerServices;

  constructor() {
    const { actors } = this.world;
    const host = {
      reader: actors.store,
      clock: actors.clock,
      stats: this.stats,
      ask: async (to: AnyAddress, message: AnyMessage): Promise<unknown> => {
        if (this.failure) throw new CodedError(this.failure);
        const answer = actors.ask(to, message);
        actors.settle();
        if (answer.failure) throw errorOf(answer.failure);
        return answer.reply;
      },
    };
    const bearer = async (): Promise<unknown> => (this.tokenOf ? { kind: 'node', nodeId: this.tokenOf } : undefined);
    // What the pool would answer: it is full.
    const stream = async (): Promise<never> => {
      throw new CodedError('overloaded');
    };
    this.#services = { host, bearer, main: { stream } } as unknown as HandlerServices;
  }

  /** For a node that is registered then. */
  claim(job: string, nodeId: string): void {
    const { actors } = this.world;
    const batch = new WriteBatch();
    const times = { registeredAtMs: 0, endedAtMs: null, lastBeatWallMs: 0 };
    batch.put('node', textKey(nodeId), encodeNodeRecord({ factsJson: '{}', state: 'alive', ...times }));
    actors.store.commit([batch.seal()]);
    actors.reply(jobAddress(job), { type: 'claim', nodeId, queueName: 'q' });
  }

  async post(body: unknown): Promise<JobUpdateReply> {
    const { exchange, response } = newExchange({ method: 'POST' });
    await postJobs({ exchange, params: {}, body }, this.#services);
    assert.equal(response.status, '200 OK');
    return response.json as JobUpdateReply;
  }

  async postEvents(id: string, body: unknown, query = ''): Promise<JobDetail & { warnings?: string[] }> {
    const { exchange, response } = newExchange({ method: 'POST', query });
    await postJobEvents({ exchange, params: { id }, body }, this.#services);
    return response.json as JobDetail;
  }

  /** What the call fails with, and whether the exchange knows by then that something is durable. */
  async failedEvents(id: string, body: unknown, query = ''): Promise<readonly [unknown, boolean]> {
    const { exchange } = newExchange({ method: 'POST', query });
    const failing = postJobEvents({ exchange, params: { id }, body }, this.#services) as Promise<void>;
    return failing.then(
      () => [undefined, exchange.isTaken],
      (error: unknown) => [error instanceof CodedError ? error.name : error, exchange.isTaken],
    );
  }

  get(id: string): JobDetail {
    const { exchange, response } = newExchange();
    void getJob({ exchange, params: { id }, body: undefined }, this.#services);
    return response.json as JobDetail;
  }
}

function isCoded(name: ErrorName, ...fields: readonly string[]): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof CodedError, String(error));
    assert.equal(error.name, name);
    if (fields.length > 0) assert.deepEqual(Object.keys(error.fields ?? {}), fields);
    return true;
  };
}

const CREATING = event('08:00:00', 'Job-Creating', { nodeOid: 'i-1' });
const update = (id: string, more: object = {}) => ({ id, queueName: 'q', events: [CREATING], ...more });

test('a single update and an array are taken alike', async () => {
  const gateway = new JobGateway();
  assert.deepEqual(await gateway.post(update('j-1')), { accepted: 1, rejected: [] });
  assert.deepEqual(await gateway.post([update('j-2'), update('j-3')]), { accepted: 2, rejected: [] });
  assert.deepEqual(await gateway.post([]), { accepted: 0, rejected: [] });
  assert.equal(gateway.get('j-3').status, 'Creating');
});

test('in an array a bad update is rejected with its id, code and reason, and the others do not suffer', async () => {
  const gateway = new JobGateway();
  const reply = await gateway.post([
    update('j-1'),
    update('j 2'),
    { id: 'j-3' },
    null,
    'text',
    [],
    update('j-4', { events: [{ ...CREATING, timestamp: 'yesterday' }] }),
    update('j-5'),
  ]);
  assert.equal(reply.accepted, 2);
  assert.deepEqual(
    reply.rejected.map(({ id, errorCode, fields }) => [id, errorCode, Object.keys(fields ?? {})]),
    [
      ['j 2', 1003, ['id']],
      ['j-3', 1003, ['queueName']],
      ['', 1003, ['body']],
      ['', 1003, ['body']],
      ['', 1003, ['body']],
      ['j-4', 1003, ['events.0.timestamp']],
    ],
  );
  assert.ok(reply.rejected.every(({ message }) => message.startsWith('Invalid argument')));
  assert.deepEqual(
    ['j-1', 'j-4', 'j-5'].map((id) => gateway.world.job(id)?.status),
    ['Creating', undefined, 'Creating'],
  );
});

test('a single bad update is the fault of the call', async () => {
  await assert.rejects(new JobGateway().post({ id: 'j-1' }), isCoded('invalid', 'queueName'));
  await assert.rejects(new JobGateway().post(null), isCoded('invalid', 'body'));
});

test('more updates than a call may have change nothing', async () => {
  const gateway = new JobGateway();
  const many = Array.from({ length: 1_001 }, (_, i) => ({ id: `j-${i}`, queueName: 'q' }));
  await assert.rejects(gateway.post(many), isCoded('invalid', 'body'));
  assert.equal(gateway.world.rows('job'), 0);
  assert.equal((await gateway.post(many.slice(1))).accepted, 1_000);
});

test('an update that the job refuses is rejected alone; a full disk fails the call', async () => {
  const gateway = new JobGateway();
  const full = Array.from({ length: 10_000 }, (_, i) => eventAt(i, 'Volume-Created', { volumnId: 'v' }));
  await gateway.post(update('j-1', { events: full }));
  const reply = await gateway.post([update('j-1', { events: [event('09:00:00', 'Job-Running')] }), update('j-2')]);
  assert.equal(reply.accepted, 1);
  assert.deepEqual(
    reply.rejected.map(({ id, errorCode }) => [id, errorCode]),
    [['j-1', 1003]],
  );
  gateway.world.actors.store.fails = () => true;
  await assert.rejects(gateway.post([update('j-3')]), isCoded('storageFull'));
});

test('over-long texts are cut with a warning, not refused; so is an event that no level can count', async () => {
  const gateway = new JobGateway();
  const old = { timestamp: '2020-01-01T00:00:00Z', eventType: 'Job-Creating' };
  const reply = await gateway.post([update('j-1', { name: 'x'.repeat(2_000) }), update('j-2', { events: [old] })]);
  assert.equal(reply.accepted, 2);
  assert.equal(gateway.get('j-1').name?.length, 1_024);
  assert.deepEqual(gateway.get('j-2').events, [old]);
  assert.match(reply.warnings?.[0] ?? '', /^name was cut from 2000 to 1024/);
  assert.match(reply.warnings?.[1] ?? '', /^j-2: an event is kept but not counted in metrics: its timestamp is older/);
});

test('a reference with a control character is refused alone; in free text it is removed, and the reply says so', async () => {
  const gateway = new JobGateway();
  const reply = await gateway.post([
    update('j-1', { events: [{ ...CREATING, nodeOid: 'i-1\n1\t1\tnode.lost' }] }),
    update('j-2', { batchJobIds: ['b-1', 'b-2\n'] }),
    update('j-3', { name: 'night\tly\n', events: [{ ...CREATING, nodeOid: 'i-1' }] }),
    update('..'),
  ]);
  assert.deepEqual(
    reply.rejected.map(({ id, errorCode, fields }) => [id, errorCode, Object.keys(fields ?? {})]),
    [
      ['j-1', 1003, ['events.0.nodeOid']],
      ['j-2', 1003, ['batchJobIds.1']],
      ['..', 1003, ['id']],
    ],
  );
  assert.equal(reply.accepted, 1);
  assert.deepEqual(reply.warnings, ['name held control characters, which were removed']);
  assert.equal(gateway.get('j-3').name, 'nightly');
  await assert.rejects(
    gateway.postEvents('j-3', { ...CREATING, containerId: 'c\0' }),
    isCoded('invalid', 'containerId'),
  );
});

test('a new queue beyond the bound of series is rejected, a known one goes on', async () => {
  const gateway = new JobGateway();
  await gateway.post(update('j-1'));
  gateway.stats.seriesCount = SERIES_MAX;
  const reply = await gateway.post([update('j-2'), update('j-3', { queueName: 'new' })]);
  assert.equal(reply.accepted, 1);
  assert.deepEqual(
    reply.rejected.map(({ id, errorCode }) => [id, errorCode]),
    [['j-3', 3002]],
  );
});

test('jobs of one new queue are rejected where its series find no room, and nothing of them is kept', async () => {
  const gateway = new JobGateway();
  gateway.world.env.hasRoom = false;
  const reply = await gateway.post([update('j-1'), update('j-2')]);
  assert.deepEqual(
    reply.rejected.map(({ id, errorCode }) => [id, errorCode]),
    [
      ['j-1', 3002],
      ['j-2', 3002],
    ],
  );
  assert.equal(gateway.world.rows('job') + gateway.world.rows('series'), 0);
});

test('events of one job answer the job; a new job needs its queue in the query', async () => {
  const gateway = new JobGateway();
  await assert.rejects(gateway.postEvents('j-1', CREATING), isCoded('notFound'));
  await assert.rejects(gateway.postEvents('j-1', CREATING, 'queueName='), isCoded('invalid', 'queueName'));
  const job = await gateway.postEvents('j-1', CREATING, 'queueName=night%2Flong+runs');
  assert.deepEqual([job.queueName, job.status, job.nodeOid], ['night/long runs', 'Creating', 'i-1']);
  const later = await gateway.postEvents('j-1', [event('08:01:00', 'Job-Running'), CREATING]);
  assert.deepEqual([later.queueName, later.status, later.events.length], ['night/long runs', 'Running', 2]);
  assert.equal(later.workAtRisk, (Date.UTC(2026, 0, 31, 12) - Date.UTC(2026, 0, 31, 8, 1)) / 1_000);
});

test('events that are not valid change nothing', async () => {
  const gateway = new JobGateway();
  const bad = [CREATING, { ...CREATING, eventType: '' }];
  await assert.rejects(gateway.postEvents('j-1', bad, 'queueName=q'), isCoded('invalid', '1.eventType'));
  await assert.rejects(gateway.postEvents('j 1', CREATING, 'queueName=q'), isCoded('invalid'));
  assert.equal(gateway.world.rows('job'), 0);
});

test('a job that nobody knows, or that cannot be one, is not found', () => {
  const gateway = new JobGateway();
  for (const id of ['j-1', 'a b', '', '../j', 'x'.repeat(200)])
    assert.throws(() => gateway.get(id), isCoded('notFound'));
});

test('of updates that meet a server that cannot take them all, those that were not taken are rejected', async () => {
  const answers = new Map<string, Failure | null>([
    ['taken', null],
    ['refused', { name: 'overloaded' }],
    ['lost', { name: 'outcomeUnknown' }],
    ['not-led', { name: 'notLeader' }],
    ['unconfirmed', UNCONFIRMED],
  ]);
  const ask = async ({ id }: AnyAddress): Promise<unknown> => {
    const failure = answers.get(id);
    if (failure) throw errorOf(failure);
    return {};
  };
  const { actors } = new JobWorld();
  const host = { reader: actors.store, clock: actors.clock, stats: { seriesCount: 0 }, ask };
  const post = async (...ids: readonly string[]): Promise<unknown> => {
    const { exchange, response } = newExchange({ method: 'POST' });
    const body = ids.map((id) => ({ id, queueName: 'q' }));
    await postJobs({ exchange, params: {}, body }, {
      host,
      bearer: async () => undefined,
    } as unknown as HandlerServices);
    return response.json;
  };
  const { accepted, rejected } = (await post('taken', 'refused', 'lost')) as JobUpdateReply;
  assert.equal(accepted, 1);
  assert.deepEqual(
    rejected.map(({ id, errorCode }) => [id, errorCode]),
    [
      ['refused', 3002],
      ['lost', 9001],
    ],
  );
  await assert.rejects(post('refused', 'refused'), isCoded('overloaded'));
  await assert.rejects(post('refused', 'lost'), isCoded('outcomeUnknown'), 'something may have been taken');
  await assert.rejects(post('not-led', 'unconfirmed'), { name: 'notLeader', message: /outcome is unknown/ });
});

test('of a claimed job only the updates that do not count are rejected; one alone fails the call, and so do events', async () => {
  const gateway = new JobGateway();
  gateway.claim('j-1', 'a');
  gateway.claim('j-1', 'a');
  const [stale, good] = [1, 2].map((epoch) => ({ id: 'j-1', queueName: 'q', epoch, events: [CREATING] }));
  const { accepted, rejected } = await gateway.post([stale, good]);
  assert.equal(accepted, 1);
  assert.deepEqual(
    rejected.map(({ id, errorCode, fields }) => [id, errorCode, fields]),
    [['j-1', 1010, { nodeId: 'a', epoch: 2 }]],
  );
  await assert.rejects(gateway.post(stale), isCoded('jobClaimed', 'nodeId', 'epoch'));
  gateway.tokenOf = 'b';
  await assert.rejects(gateway.post({ id: 'j-1', queueName: 'q' }), isCoded('jobClaimed', 'nodeId', 'epoch'));
  await assert.rejects(gateway.postEvents('j-1', CREATING), isCoded('jobClaimed', 'nodeId', 'epoch'));
  gateway.tokenOf = 'a';
  assert.equal((await gateway.postEvents('j-1', event('09:00:00', 'Job-Running'))).status, 'Running');
});

test('whatever the server fails with fails the call, so that no sender takes it for an answer to its update', async () => {
  const gateway = new JobGateway();
  for (const name of Object.keys(ERROR_CODES) as ErrorName[]) {
    if (OF_ONE_UPDATE.has(name)) continue;
    gateway.failure = name;
    await assert.rejects(gateway.post(update('j-1')), isCoded(name), name);
    await assert.rejects(gateway.post([update('j-1'), update('j-2')]), isCoded(name), name);
  }
});

test('events that are taken are known to be, also where the answer about a long job cannot be made', async () => {
  const gateway = new JobGateway();
  const events = Array.from({ length: 2_000 }, (_, i) => eventAt(i, 'Job-Checkpointing'));
  assert.deepEqual(await gateway.failedEvents('j-1', events, 'queueName=q'), ['overloaded', true]);
  assert.equal(gateway.world.job('j-1')?.events.length, 2_000);
  gateway.failure = 'overloaded';
  assert.deepEqual(await gateway.failedEvents('j-1', [eventAt(3_000, 'Job-Running')]), ['overloaded', false]);
});
