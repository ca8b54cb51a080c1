/**
 * `npm run envelope`: climbs every dimension of the load until an objective breaks, and writes docs/guide/envelope.md. Takes
 * less than ten minutes; the machine must have nothing else to do.
 */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { givenLine } from '../../tools/command-line.ts';
import { beatClimbs, detectionClimb, nodeClimb } from './beats.ts';
import { type Climb, verdictOf } from './climb.ts';
import { type EnvelopeOptions, FULL, LEAN } from './options.ts';
import { pageOf } from './page.ts';
import { eventClimb, followerClimb } from './readers.ts';
import { jobClimb, seriesClimb } from './stored.ts';

const CLIMBS: Readonly<Record<string, (options: EnvelopeOptions) => Promise<readonly Climb[]>>> = {
  beats: beatClimbs,
  nodes: async (options) => [await nodeClimb(options)],
  detection: async (options) => [await detectionClimb(options)],
  jobs: async (options) => [await jobClimb(options)],
  series: async (options) => [await seriesClimb(options)],
  events: async (options) => [await eventClimb(options)],
  followers: async (options) => [await followerClimb(options)],
};
const PAGE = 'docs/guide/envelope.md';

const USAGE = `npm run envelope -- [CLIMB …] [options]

Climbs every dimension of the load until an objective breaks, and writes ${PAGE}. Climbs that are named
are the only ones, and no page is written.

  --full      larger sizes: about an hour instead of ten minutes
  --smoke     each once with tiny sizes, and no page: its figures mean nothing
  --to FILE   another place for the page

Climbs: ${Object.keys(CLIMBS).join(', ')}
`;

const { values, positionals } = givenLine({
  usage: USAGE,
  options: {
    full: { type: 'boolean', default: false },
    smoke: { type: 'boolean', default: false },
    to: { type: 'string' },
  },
  names: { what: 'climb', known: Object.keys(CLIMBS) },
});
const begunMs = performance.now();
const machine = [
  `${cpus().length} × ${cpus()[0]?.model ?? 'unknown CPU'}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`,
  `Commit ${spawnSync('git', ['rev-parse', '--short=12', 'HEAD'], { encoding: 'utf8' }).stdout?.trim() || 'unknown'}, load average ${(loadavg()[0] as number).toFixed(1)} at the start`,
];
const options: EnvelopeOptions = {
  smoke: values.smoke,
  seconds: values.full ? 20 : 5,
  sizes: values.full ? FULL : LEAN,
  say: (text) => process.stderr.write(`envelope: ${text}\n`),
};
const climbs: Climb[] = [];
for (const [name, climb] of Object.entries(CLIMBS))
  if (positionals.length === 0 || positionals.includes(name)) climbs.push(...(await climb(options)));
for (const climb of climbs) {
  const { holds, beyond } = verdictOf(climb);
  process.stdout.write(`${climb.name}: holds at ${holds ?? 'no'} ${climb.unit}; ${beyond}\n`);
}
process.stdout.write(`took ${((performance.now() - begunMs) / 1_000).toFixed(0)} s\n`);
const to = values.to ?? PAGE;
if (!values.smoke && (positionals.length === 0 || values.to !== undefined)) {
  writeFileSync(to, pageOf({ machine, command: `npm run envelope${values.full ? ' -- --full' : ''}`, climbs }));
  process.stdout.write(`wrote ${to}\n`);
}
process.exit(0);
