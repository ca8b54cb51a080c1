/** A server as `cairn serve` runs it, of which SIGUSR2 crashes one shard thread after the other. For `npm run proof -- kills`. */
import { parseArgs } from 'node:util';
import { Server } from '../../src/server/server.ts';

const { values } = parseArgs({
  args: process.argv.slice(3),
  options: {
    'data-dir': { type: 'string' },
    'log-dir': { type: 'string' },
    addr: { type: 'string' },
    shards: { type: 'string' },
  },
});
const folder = (name: 'data-dir' | 'log-dir'): string => values[name] ?? '';
const shards = Number(values.shards ?? 2);
const server = await Server.start({
  dataFolder: folder('data-dir'),
  logFolder: folder('log-dir'),
  addr: values.addr ?? 'http://127.0.0.1:0',
  given: { addr: true, logFolder: true, staticFolder: false },
  logRoots: [],
  staticFolder: folder('data-dir'),
  publicNames: [],
  acme: null,
  shards,
  workers: 1,
  warmUp: false,
  onGiveUp: () => process.kill(process.pid, 'SIGKILL'),
});
process.stdout.write(`cairn ready ${server.address}\n`);
let crashes = 0;
process.on('SIGUSR2', () => {
  // One that is starting already has no thread to crash.
  void server.crashShard(crashes++ % shards).catch(() => {});
});
