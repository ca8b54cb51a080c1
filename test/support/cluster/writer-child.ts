/** A process with a writer thread that is one of a cluster, and nothing else of a server; `WriterProcess` speaks to it. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { ShardSupervisor } from '../../../src/actors/shard/supervisor/shard-supervisor.ts';
import { CommitTimes } from '../../../src/actors/shard/wire/commit-times.ts';
import { SharedStats } from '../../../src/actors/shard/wire/shared-stats.ts';
import { MainWriter } from '../../../src/actors/shard/writer/main-writer.ts';
import { ReplicaControl } from '../../../src/actors/shard/writer/replica-control.ts';
import { makeFolders } from '../../../src/store/files/folders.ts';
import { textKey } from '../../../src/store/kv/keys.ts';
import { openLmdbReader } from '../../../src/store/kv/lmdb-store.ts';
import { TABLES } from '../../../src/store/kv/tables.ts';
import { packLogChange } from '../../../src/store/logs/log-changes.ts';
import { positionOf } from '../../../src/store/replica/history.ts';
import { MEMBERS_KEY } from '../../../src/store/replica/members.ts';
import type { ReplicaOptions } from '../../../src/store/replica/status.ts';
import type { Answer, Question } from './writer-process.ts';

const options = JSON.parse(process.argv[2] ?? '{}') as ReplicaOptions;
const folder = join(options.dataFolder, 'db');
await makeFolders(folder);
await makeFolders(join(options.logFolder, 'nodes'));
const writer = await ShardSupervisor.openWriter({
  folder,
  stats: new SharedStats(0).buffer,
  commitTimes: new CommitTimes().buffer,
  shardCount: 0,
  replica: options,
});
const control = new ReplicaControl(writer, (level, text) => {
  process.stderr.write(`${options.self.id} ${level}: ${text}\n`);
});
let main = new MainWriter(ShardSupervisor.attachMain(writer));
let term = 0;
control.onChange((status) => {
  // As a server does: what was known before another one led is not written.
  if (status.role === 'leader' && status.term !== term) {
    term = status.term;
    main = new MainWriter(ShardSupervisor.attachMain(writer));
  }
  process.send?.({ status } satisfies Answer);
});

process.on('message', (question: Question) => {
  act(question).then(
    (value) => process.send?.({ number: question.number, value } satisfies Answer),
    (error: Error) => process.send?.({ number: question.number, error: error.message } satisfies Answer),
  );
});
process.on('disconnect', () => process.exit(0));
process.send?.({ isReady: true } satisfies Answer);

async function act({ what, key = '', text = '', size = 0 }: Question): Promise<string> {
  if (what === 'put') {
    await main.commit([{ table: 'definition', key: textKey(key), value: textKey(text.padEnd(size, '.')) }]);
  } else if (what === 'log') {
    const name = { nodeId: 'node-1', path: key };
    await main.log(packLogChange({ change: 'append', name, at: size, bytes: Buffer.from(text) }));
  } else if (what === 'barrier') {
    await control.barrier();
  } else if (what === 'attach') {
    main = new MainWriter(ShardSupervisor.attachMain(writer));
  } else if (what === 'stop') {
    const ended = new Promise((resolve) => writer.once('exit', resolve));
    writer.postMessage({ type: 'stop' });
    await ended;
  } else if (what === 'members') {
    return members();
  } else {
    return digest();
  }
  return '';
}

async function members(): Promise<string> {
  const reader = openLmdbReader(folder, ['meta']);
  try {
    return Buffer.from(reader.get('meta', MEMBERS_KEY) ?? '').toString();
  } finally {
    await reader.close();
  }
}

/** Of everything but what each server has for itself: position, and one digest a table. */
async function digest(): Promise<string> {
  const reader = openLmdbReader(folder);
  try {
    const lines = TABLES.filter((table) => table !== 'replicaTail').map((table) => {
      const hash = createHash('sha256');
      let rows = 0;
      for (const { key, value } of reader.range(table)) {
        if (table === 'meta' && Buffer.from(key).toString().startsWith('replica')) continue;
        rows++;
        hash.update(`${key.byteLength} ${value.byteLength} `).update(key).update(value);
      }
      return `${table} ${rows} ${hash.digest('hex').slice(0, 16)}`;
    });
    return [`position ${positionOf(reader).sequence}`, ...lines].join('\n');
  } finally {
    await reader.close();
  }
}
