/** The archive that the browser makes of the support bundle, and what is left out of it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { list } from 'tar';
import { bundleFiles, bundleName, readBundle } from '../../../../src/protocol/explain/support-bundle.ts';
import { tarOf } from '../../../../web/src/pages/health/tar.ts';

test('the archive holds each file whole, also an empty one and one that fills its blocks', async () => {
  const files = ['', 'a', 'ä'.repeat(256), 'x'.repeat(1_500)].map((text, i) => ({ path: `bundle/${i}.txt`, text }));
  const found = new Map<string, string>();
  const parser = list({
    onReadEntry: (entry) => {
      const chunks: Buffer[] = [];
      entry.on('data', (chunk: Buffer) => chunks.push(chunk));
      entry.on('end', () => found.set(`${entry.path} ${entry.mode?.toString(8)}`, Buffer.concat(chunks).toString()));
    },
  });
  const ended = new Promise((resolve) => parser.on('end', resolve));
  const archive = Buffer.concat(tarOf(files, 1_750_000_000));
  // Four heads, contents of 0, 1, 1 and 3 blocks, and two blocks that end it: no reader minds more, but none is told of them.
  assert.equal(archive.byteLength, 512 * (4 + 5 + 2));
  parser.end(archive);
  await ended;
  assert.deepEqual(
    [...found],
    files.map(({ path, text }) => [`${path} 600`, text]),
  );
});

const CONFIG = {
  security: { idp: { clientSecret: 'x', clientID: 'c', token: '' } },
  node: { ttl: '5m0s' },
  log: { file: '/var/log/cairn/my server.log' },
};

/** A server that answers a path with its own text, and its configuration with `config`. */
function serverWith(config: () => string): { readonly asked: string[]; read(path: string): Promise<string> } {
  const asked: string[] = [];
  return {
    asked,
    read: async (path) => {
      asked.push(path);
      if (path === '/api/v1/config') return config();
      return path === '/api/v1/config/history' ? '[]' : path;
    },
  };
}

test('secrets are left out by their names, and nothing else is', async () => {
  const server = serverWith(() => JSON.stringify(CONFIG));
  const { files, missing } = await readBundle(server.read, () => undefined);
  assert.deepEqual(missing, []);
  assert.deepEqual(JSON.parse(files.find(({ name }) => name === 'config.json')?.text ?? ''), {
    ...CONFIG,
    security: { idp: { clientSecret: '(left out)', clientID: 'c', token: '' } },
  });
});

test('the logs are those that the configuration names, which is read once', async () => {
  const server = serverWith(() => JSON.stringify(CONFIG));
  await readBundle(server.read, () => undefined);
  assert.deepEqual(server.asked.slice(-2), ['/my%20server.log?tail=5000', '/my%20server-access.log?tail=5000']);
  assert.equal(server.asked.filter((path) => path === '/api/v1/config').length, 1);
  assert.equal(bundleName(Date.UTC(2026, 0, 31, 12)), 'cairn-support-2026-01-31T12-00-00');
});

test('without a configuration that can be read there is a bundle, which says so, also of the logs', async () => {
  const server = serverWith(() => {
    throw new Error('User is not privileged');
  });
  const contents = await readBundle(server.read, (error) => (error as Error).message);
  const files = bundleFiles(contents, { cairn: '1' });
  assert.deepEqual(
    files.map(({ name }) => name),
    ['config-history.json', 'ready.json', 'doctor.json', 'metrics.txt', 'queues.json', 'versions.json', 'missing.txt'],
  );
  assert.deepEqual(files.at(-1)?.text.split('\n'), [
    'config.json: User is not privileged',
    'server.log: its name is in config.json',
    'server-access.log: its name is in config.json',
    '',
  ]);
});

test('where there is no server there is no bundle', async () => {
  const server = serverWith(() => {
    throw new Error('cannot be reached');
  });
  await assert.rejects(
    readBundle(server.read, () => undefined),
    /cannot be reached/,
  );
});
