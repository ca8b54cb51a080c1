/** Real files, and a server that keeps one stream: whatever happens, its bytes are those that were written. */
import assert from 'node:assert/strict';
import { appendFileSync, copyFileSync, mkdirSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { agentLog } from '../../../../agent/base/log.ts';
import type { Outcome } from '../../../../agent/link/outcome.ts';
import { LogState } from '../../../../agent/ship/log-state.ts';
import { CHUNK_BYTES_MAX, LogTail, type StepResult } from '../../../../agent/ship/log-tail.ts';
import { LINGER_MAX_MS, QUIET_MS } from '../../../../agent/ship/rotation.ts';
import { type Random, seededRandom } from '../../../../src/base/random.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const AWAY: Outcome = { type: 'later', reason: 'gone', retryAfterMs: null };

class FakeServer {
  bytes = Buffer.alloc(0);
  posts = 0;
  /** What happens to the next posts; 'lost' takes the bytes and loses the answer. */
  fate: () => 'taken' | 'refused' | 'lost' = () => 'taken';

  post(offset: number, bytes: Uint8Array): Outcome {
    this.posts++;
    const fate = this.fate();
    if (fate === 'refused') return AWAY;
    if (offset !== this.bytes.byteLength) return { type: 'conflict', size: this.bytes.byteLength };
    this.bytes = Buffer.concat([this.bytes, bytes]);
    return fate === 'lost' ? AWAY : { type: 'accepted', json: { size: this.bytes.byteLength } };
  }
}

class World {
  readonly server = new FakeServer();
  readonly log: string;
  readonly #stateFolder: string;
  nowMs = 0;
  state: LogState;
  tail: LogTail;

  constructor(context: TestContext) {
    const folder = temporaryFolder(context);
    this.log = join(folder, 'logs', 'app.log');
    this.#stateFolder = join(folder, 'state');
    mkdirSync(join(folder, 'logs'));
    mkdirSync(this.#stateFolder);
    this.state = new LogState(this.#stateFolder);
    this.tail = this.#makeTail();
    context.after(() => this.tail.close());
  }

  /** As after a crash: what was not saved is forgotten. */
  async crash(): Promise<void> {
    await this.tail.close();
    this.state = new LogState(this.#stateFolder);
    this.tail = this.#makeTail();
  }

  async restart(): Promise<void> {
    await this.state.save({ durable: false });
    await this.crash();
  }

  /** Steps until there is nothing to do; a rotated file is waited for. */
  async ship(): Promise<StepResult> {
    for (let steps = 0; steps < 1_000; steps++) {
      const result = await this.tail.step();
      if (result.type === 'idle' || result.type === 'failed') return result;
      if (result.type === 'lingers') this.nowMs += QUIET_MS;
    }
    assert.fail('the tail does not come to rest');
  }

  write(text: string): void {
    appendFileSync(this.log, text);
  }

  rotate(): void {
    for (const i of [3, 2, 1]) {
      try {
        renameSync(`${this.log}.${i}`, `${this.log}.${i + 1}`);
      } catch {
        // Fewer generations so far.
      }
    }
    renameSync(this.log, `${this.log}.1`);
  }

  get shipped(): string {
    return this.server.bytes.toString('latin1');
  }

  #makeTail(): LogTail {
    return new LogTail({
      path: this.log,
      state: this.state,
      post: async (_path, offset, bytes) => this.server.post(offset, bytes),
      monotonicMs: () => this.nowMs,
      log: agentLog(
        'fatal',
        () => {},
        () => 0,
      ),
    });
  }
}

test('a file that is not there yet is waited for without a word to the server', async (context) => {
  const world = new World(context);
  assert.deepEqual(await world.ship(), { type: 'idle' });
  assert.equal(world.server.posts, 0);
  world.write('first\n');
  await world.ship();
  assert.equal(world.shipped, 'first\n');
});

test('what is appended follows, in chunks of at most a mebibyte', async (context) => {
  const world = new World(context);
  const big = 'x'.repeat(CHUNK_BYTES_MAX * 2 + 5);
  world.write(big);
  await world.ship();
  assert.equal(world.server.posts, 4, 'one to agree and three chunks');
  world.write('and more');
  await world.ship();
  assert.equal(world.shipped, `${big}and more`);
});

test('a rotated file is finished before the new one begins, also when its writer goes on with it for a while', async (context) => {
  const world = new World(context);
  world.write('one ');
  await world.ship();
  world.write('two ');
  world.rotate();
  world.write('four ');
  assert.equal((await world.tail.step()).type, 'sent');
  assert.equal((await world.tail.step()).type, 'lingers');
  appendFileSync(`${world.log}.1`, 'three ');
  await world.ship();
  assert.equal(world.shipped, 'one two three four ');
});

test('a rotated file is finished even when it was removed', async (context) => {
  const world = new World(context);
  world.write('one ');
  await world.ship();
  world.write('two ');
  rmSync(world.log);
  writeFileSync(world.log, 'three ');
  await world.ship();
  assert.equal(world.shipped, 'one two three ');
});

test('a writer that never lets go of a rotated file holds up the new one for a minute at most', async (context) => {
  const world = new World(context);
  world.write('old ');
  await world.ship();
  world.rotate();
  world.write('new ');
  await world.tail.step();
  const begun = world.nowMs;
  while (!world.shipped.includes('new ')) {
    appendFileSync(`${world.log}.1`, '.');
    await world.tail.step();
    world.nowMs += 1_000;
    assert.ok(world.nowMs - begun <= LINGER_MAX_MS + 10_000, 'the new file is shipped in the end');
  }
});

test('several rotations while the server was away are shipped in order', async (context) => {
  const world = new World(context);
  world.write('1 ');
  await world.ship();
  world.server.fate = () => 'refused';
  for (const text of ['2 ', '3 ', '4 ']) {
    world.write(text);
    await world.ship();
    world.rotate();
  }
  world.write('5 ');
  world.server.fate = () => 'taken';
  await world.ship();
  await world.ship();
  assert.equal(world.shipped, '1 2 3 4 5 ');
});

test('rotations while the agent was not running are found by the file’s number and shipped in order', async (context) => {
  const world = new World(context);
  world.write('1 ');
  await world.ship();
  await world.restart();
  for (const text of ['2 ', '3 ']) {
    world.write(text);
    world.rotate();
  }
  world.write('4 ');
  await world.ship();
  assert.equal(world.shipped, '1 2 3 4 ');
});

test('a file that is truncated in place starts over behind what was sent', async (context) => {
  const world = new World(context);
  world.write('before ');
  await world.ship();
  truncateSync(world.log);
  world.write('after ');
  await world.ship();
  assert.equal(world.shipped, 'before after ');
});

test('a file that was truncated and grew beyond its old size is known by its beginning', async (context) => {
  const world = new World(context);
  world.write('short ');
  await world.ship();
  copyFileSync(world.log, `${world.log}.1`);
  writeFileSync(world.log, 'something much longer ');
  await world.ship();
  assert.equal(world.shipped, 'short something much longer ');
});

test('a file that was replaced while the agent was not running is shipped whole behind the old one', async (context) => {
  const world = new World(context);
  world.write('old, of which the end is lost ');
  await world.ship();
  await world.restart();
  rmSync(world.log);
  world.write('new and quite a bit longer than the old one was ');
  await world.ship();
  assert.equal(world.shipped, 'old, of which the end is lost new and quite a bit longer than the old one was ');
});

test('without its state the agent goes on behind what the server has', async (context) => {
  const world = new World(context);
  world.write('one ');
  await world.ship();
  world.write('two ');
  // Nothing but the agreement at the start was saved, and now not even that.
  world.state.set(world.log, { device: '0', inode: '0', headBytes: 0, headHash: '', fileOffset: 0, sentBase: 0 });
  await world.crash();
  await world.ship();
  assert.equal(world.shipped, 'one two ');
});

test('an answer that was lost does not repeat a byte', async (context) => {
  const world = new World(context);
  world.write('one ');
  await world.ship();
  world.write('two ');
  world.server.fate = () => 'lost';
  assert.equal((await world.ship()).type, 'failed');
  world.server.fate = () => 'taken';
  world.write('three ');
  assert.equal((await world.ship()).type, 'failed', 'the conflict tells where to go on');
  await world.ship();
  assert.equal(world.shipped, 'one two three ');
});

test('a server that lost its disk gets again what is still here', async (context) => {
  const world = new World(context);
  world.write('gone ');
  await world.ship();
  rmSync(world.log);
  world.write('here ');
  await world.ship();
  world.server.bytes = Buffer.alloc(0);
  world.write('now ');
  await world.ship();
  await world.ship();
  assert.equal(world.shipped, 'here now ');
});

test('a folder or a pipe in place of a log is an error, not a hang', async (context) => {
  const world = new World(context);
  mkdirSync(world.log);
  await assert.rejects(world.tail.step(), /is not a plain file/);
});

/** One thing that may happen to a log or to its agent. */
async function mishap(world: World, random: Random, text: () => string): Promise<string> {
  const written = text();
  world.write(written);
  switch (random.int(6)) {
    case 0:
      await world.ship();
      world.rotate();
      break;
    case 1:
      world.rotate();
      break;
    case 2:
      await world.crash();
      break;
    case 3:
      await world.restart();
      break;
    default:
      await world.ship();
  }
  return written;
}

for (const seed of [1, 2, 3, 4, 5, 6, 7, 8]) {
  test(`any sequence of writes, rotations, crashes and lost answers ships every byte once (seed ${seed})`, async (context) => {
    const world = new World(context);
    const random = seededRandom(seed);
    const unreliable = (): 'taken' | 'refused' | 'lost' =>
      random.chance(0.2) ? 'refused' : random.chance(0.2) ? 'lost' : 'taken';
    let line = 0;
    let written = '';
    world.write('');
    await world.tail.step();
    const text = (): string => `${++line} ${'x'.repeat(random.int(40))}\n`;
    for (let i = 1; i <= 120; i++) {
      world.server.fate = unreliable;
      written += await mishap(world, random, text);
      // Now and then things are well: before there are more generations than the folder keeps.
      if (i % 3 !== 0) continue;
      world.server.fate = () => 'taken';
      // A generation that was rotated is gone on from when there is a new file at the path.
      const last = text();
      world.write(last);
      written += last;
      for (let rounds = 0; rounds < 3; rounds++) await world.ship();
      assert.equal(world.shipped, written, `after ${i} steps`);
    }
  });
}
