/** Whether the servers of a cluster that has stopped have the same: every table, and every log of a node. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { TRIMMING } from '../../../src/store/commit/trim-head.ts';
import { until } from '../api.ts';
import { replicaIdIn, type ServerCluster } from './server-cluster.ts';
import { untilOneLeads, WriterProcess } from './writer-process.ts';

const ALIKE_MS = 120_000;

/**
 * Ends the servers, and lets their writers alone come to the same place of the stream. What differs, in sentences. Afterwards the
 * cluster can only be stopped: nobody took the messages that lay in the journal.
 */
export async function differencesOf(cluster: ServerCluster): Promise<string[]> {
  await Promise.all(cluster.members.map(({ server }) => server.kill('SIGKILL')));
  const writers = cluster.members.map(({ folders }) => {
    const self = { id: replicaIdIn(folders), url: `http://127.0.0.1/${replicaIdIn(folders)}`, fingerprint: null };
    const more = { self, dataFolder: folders.data, logFolder: folders.log };
    return new WriterProcess(self.id, cluster.engines.addresses, cluster.name, more);
  });
  try {
    await Promise.all(writers.map((writer) => writer.start()));
    await untilOneLeads(writers);
    // What the leader still trims comes between two answers now and then.
    const digests = await until(
      () => digestsOf(writers),
      (all) => new Set(all.map(placeOf)).size === 1 && placeOf(all[0] ?? '') !== '',
      'the writers to be at the same place of the stream',
      ALIKE_MS,
    );
    const tables = digests.map((digest) => digest.split('\n').slice(1));
    const logs = cluster.members.map(({ folders }) => logDigests(folders.log));
    return [...differing(tables), ...differing(logs)];
  } finally {
    await Promise.all(writers.map((writer) => writer.end()));
  }
}

function placeOf(digest: string): string {
  return /^position \d+/.exec(digest)?.[0] ?? '';
}

/** An empty one where a writer cannot tell now. */
function digestsOf(writers: readonly WriterProcess[]): Promise<string[]> {
  return Promise.all(
    writers.map((writer) =>
      writer
        .ask('barrier')
        .then(() => writer.ask('digest'))
        .catch(() => ''),
    ),
  );
}

function differing(ofEach: readonly (readonly string[])[]): string[] {
  const [first = [], ...others] = ofEach;
  return others.flatMap((lines, i) => {
    const [own, all] = [new Set(lines), new Set(first)];
    const lacking = first.filter((line) => !own.has(line)).map((line) => `server ${i + 2} has not: ${line}`);
    return [...lacking, ...lines.filter((line) => !all.has(line)).map((line) => `server 1 has not: ${line}`)];
  });
}

function logDigests(logFolder: string): string[] {
  const root = join(logFolder, 'nodes');
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith(TRIMMING))
    .map((entry) => join(entry.parentPath, entry.name))
    .map(
      (file) => `${relative(root, file)} ${createHash('sha256').update(readFileSync(file)).digest('hex').slice(0, 16)}`,
    )
    .sort();
}
