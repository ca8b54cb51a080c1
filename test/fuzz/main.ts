/**
 * `npm run fuzz`: hostile requests until something is wrong, or for as long as is asked. Every 10,000 requests it says how many were answered how, and the memory of the server: all, and what is not files.
 * A request that is answered wrongly is kept in test/fuzz/cases, and run by `npm test` from then on.
 */
import { readFileSync } from 'node:fs';
import { seededRandom } from '../../src/base/random.ts';
import { givenLine, wholeNumber } from '../../tools/command-line.ts';
import { faultOf, type Tally } from './campaign.ts';
import { keepCase } from './cases.ts';
import { FuzzedServer } from './fuzzed-server.ts';
import { RequestMaker } from './requests.ts';

const WIDTH = 16;
const TELL_EVERY = 10_000;
/** Of those that are good some few disable the provider or end tokens; they are given back this often. */
const RESTORE_EVERY = 200;

const USAGE = `npm run fuzz -- [--requests N] [--seed N]

Sends hostile requests until something is wrong.

  --requests N   stop after so many
  --seed N       begin with this seed instead of the clock's
`;

const { values } = givenLine({ usage: USAGE, options: { requests: { type: 'string' }, seed: { type: 'string' } } });
const seed = values.seed === undefined ? Date.now() % 2 ** 31 : wholeNumber('seed', values.seed);
const end = values.requests === undefined ? Number.POSITIVE_INFINITY : wholeNumber('requests', values.requests, 1);
const server = await FuzzedServer.start();
const maker = new RequestMaker(seededRandom(seed), server.tokens);
const tally: Tally = new Map();
let sent = 0;
let restored = 0;
say(`seed ${seed}; server process ${server.pid}`);

process.once('SIGINT', () => {
  void server.dispose().then(() => process.exit(130));
});

while (sent < end) {
  const requests = Array.from({ length: WIDTH }, () => maker.next());
  const faults = await Promise.all(requests.map((request) => faultOf(server.port, request, tally)));
  sent += WIDTH;
  // All of them: of several that were not answered only one may be the cause.
  const kept = requests.flatMap((request, i) => {
    const fault = faults[i];
    return fault === undefined ? [] : [`${fault} (${keepCase(request, fault)})`];
  });
  if (kept.length > 0) await fail(kept.join('\n'));
  if (sent % RESTORE_EVERY < WIDTH && (await server.restore())) restored++;
  if (sent % TELL_EVERY < WIDTH) {
    const bugs = await server.bugs();
    if (bugs.length > 0) await fail(`the server log: ${bugs[0]}`);
    say(`${sent} requests; MB ${memory('VmRSS')}, ${memory('RssAnon')} anonymous; ${answers()}`);
  }
}
const [bug] = await server.bugs();
if (bug !== undefined) await fail(`the server log: ${bug}`);
const alive = await server.isAlive();
say(`${sent} requests of seed ${seed}: no fault; the provider was given back ${restored} times; ${answers()}`);
await server.dispose();
process.exit(alive ? 0 : 1);

async function fail(what: string): Promise<never> {
  say(`after ${sent} requests of seed ${seed}: ${what}`);
  await server.dispose();
  process.exit(1);
}

function memory(name: 'VmRSS' | 'RssAnon'): string {
  const status = readFileSync(`/proc/${server.pid}/status`, 'utf8');
  return String(Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024));
}

function answers(): string {
  const parts = [...tally].sort(([a], [b]) => String(a).localeCompare(String(b)));
  return parts.map(([status, count]) => `${status}: ${count}`).join(', ');
}

function say(text: string): void {
  process.stdout.write(`fuzz: ${text}\n`);
}
