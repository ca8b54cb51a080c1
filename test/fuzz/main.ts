/**
 * `npm run fuzz`: hostile requests until something is wrong, or for as long as is asked.
 *
 *   --requests N   stop after so many
 *   --seed N       begin with this seed instead of the clock's
 *
 * A request that is answered wrongly is kept in test/fuzz/cases, and run by `npm test` from then on.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { seededRandom } from '../../src/base/random.ts';
import { faultOf } from './campaign.ts';
import { keepCase } from './cases.ts';
import { FuzzedServer } from './fuzzed-server.ts';
import { RequestMaker } from './requests.ts';

const WIDTH = 16;
const TELL_EVERY = 10_000;

const { values } = parseArgs({ options: { requests: { type: 'string' }, seed: { type: 'string' } } });
const seed = Number(values.seed ?? Date.now() % 2 ** 31);
const end = Number(values.requests ?? Number.POSITIVE_INFINITY);
const server = await FuzzedServer.start();
const maker = new RequestMaker(seededRandom(seed), server.tokens);
let sent = 0;
say(`seed ${seed}; server process ${server.pid}`);

process.once('SIGINT', () => {
  void server.dispose().then(() => process.exit(130));
});

while (sent < end) {
  const requests = Array.from({ length: WIDTH }, () => maker.next());
  const faults = await Promise.all(requests.map((request) => faultOf(server.port, request)));
  sent += WIDTH;
  const at = faults.findIndex((fault) => fault !== undefined);
  const request = requests[at];
  if (request) await fail(keepCase(request, faults[at] as string), faults[at] as string);
  if (sent % TELL_EVERY < WIDTH) {
    const bugs = await server.bugs();
    if (bugs.length > 0) await fail('the server log', bugs[0] as string);
    say(`${sent} requests, ${residentMb()} MB resident`);
  }
}
const [bug] = await server.bugs();
if (bug !== undefined) await fail('the server log', bug);
const alive = await server.isAlive();
await server.dispose();
process.exit(alive ? 0 : 1);

async function fail(where: string, fault: string): Promise<never> {
  say(`after ${sent} requests of seed ${seed}: ${fault} (${where})`);
  await server.dispose();
  process.exit(1);
}

function residentMb(): string {
  try {
    return (
      /RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1]?.replace(/\d{3}$/, '') ?? '?'
    );
  } catch {
    return '?';
  }
}

function say(text: string): void {
  process.stdout.write(`fuzz: ${text}\n`);
}
