/**
 * What each test file costs: seconds of processor time, that of its processes included, and seconds of clock, the dearest first.
 * By these figures `test/rest.json` says what `npm test` leaves out. One file at a time.
 */
import { spawnSync } from 'node:child_process';
import { givenLine } from './command-line.ts';
import { compiledOf, filesOf, LAYERS, namedBy, TEST_ENV } from './test-files.ts';

const TIMEOUT_MS = 600_000;

interface Cost {
  readonly file: string;
  readonly cpuSeconds: number;
  readonly seconds: number;
  readonly passed: boolean;
}

const USAGE = `npm run test:costs -- [PART …]

Says what each test file costs, or those with a part of their path. All of them take two cores a quarter of an hour.
`;

const { positionals } = givenLine({ usage: USAGE, names: { what: 'test' } });
const files = namedBy(LAYERS.flatMap(filesOf), positionals);
const costs: Cost[] = [];
for (const file of files) {
  const cost = costOf(file);
  costs.push(cost);
  process.stderr.write(`${lineOf(cost)}\n`);
}
costs.sort((a, b) => b.cpuSeconds - a.cpuSeconds);
const sum = costs.reduce((total, { cpuSeconds }) => total + cpuSeconds, 0);
process.stdout.write(`\n${costs.map(lineOf).join('\n')}\n${sum.toFixed(1)} s of processor time\n`);

/** The shell's `times` tells the processor time of all that it waited for, and of all that these waited for. */
function costOf(file: string): Cost {
  const start = Date.now();
  const { stdout } = spawnSync('sh', ['-c', '"$@" >&2; echo $?; times', 'sh', process.execPath, compiledOf(file)], {
    encoding: 'utf8',
    env: TEST_ENV,
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: TIMEOUT_MS,
  });
  const [status, , children = ''] = stdout.split('\n');
  const spent = [...children.matchAll(/(\d+)m([\d.]+)s/g)].map(
    ([, minutes, rest]) => Number(minutes) * 60 + Number(rest),
  );
  return {
    file,
    cpuSeconds: spent.reduce((total, one) => total + one, 0),
    seconds: (Date.now() - start) / 1000,
    passed: status === '0',
  };
}

function lineOf({ file, cpuSeconds, seconds, passed }: Cost): string {
  return `${cpuSeconds.toFixed(1).padStart(7)} s CPU ${seconds.toFixed(1).padStart(7)} s  ${file}${passed ? '' : '  FAILED'}`;
}
