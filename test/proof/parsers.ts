/**
 * Coverage-guided fuzzing of every parser of bytes that others send or that a disk may have damaged. V8's own block coverage
 * tells which inputs reach new code; those are kept in the corpus of the run and changed further. A parser may refuse by its
 * own kind of error only, and what it takes must be taken again in its own form. The amount is the number of inputs for each.
 */
import { Session } from 'node:inspector';
import { pack } from 'msgpackr';
import { type Random, seededRandom } from '../../src/base/random.ts';
import { BrokenPromise, type Counts, type Machine, type MachineOptions } from './machine.ts';
import { PARSERS, type Parser } from './parser-list.ts';

/** Inputs between two looks at the coverage, which cost as much as some hundred of them. */
const BATCH = 250;
const CORPUS_MAX = 400;
const INPUT_MAX = 4_096;
const DICTIONARY = [
  '0',
  '-1',
  '9007199254740993',
  '1e309',
  'null',
  '{}',
  '[]',
  '\0',
  'é',
  '__proto__',
  '%2e%2e',
  'T',
  'Z',
  '"',
];

export const parsers: Machine = { name: 'parsers', short: 20_000, long: 10_000_000, run };

async function run(options: MachineOptions): Promise<Counts> {
  const counts = { parsers: 0, inputs: 0, corpus: 0 };
  const coverage = new Coverage();
  try {
    for (const parser of PARSERS) {
      const corpus = fuzz(parser, options, coverage);
      counts.parsers++;
      counts.inputs += options.amount;
      counts.corpus += corpus;
      options.say(`${parser.name}: ${options.amount} inputs, ${corpus} of them reached something new`);
      await new Promise((resolve) => setImmediate(resolve));
    }
    return counts;
  } finally {
    coverage.stop();
  }
}

/** Returns the size of the corpus. Throws where an input breaks the parser. */
export function fuzz(parser: Parser, { seed, amount }: MachineOptions, coverage = new Coverage()): number {
  const random = seededRandom(seed);
  const corpus: Buffer[] = parser.seeds.map((text) =>
    typeof text === 'string' ? Buffer.from(text) : Buffer.from(text),
  );
  coverage.take();
  for (let done = 0; done < amount; done += BATCH) {
    const inputs = Array.from({ length: Math.min(BATCH, amount - done) }, () => changed(random, corpus));
    for (const input of inputs) tryOne(parser, input, seed);
    if (!coverage.take()) continue;
    // One of them reached new code: which one is not known, so that a few of the batch are kept.
    for (let i = 0; i < 8; i++) corpus.push(random.pick(inputs));
    if (corpus.length > CORPUS_MAX) corpus.splice(parser.seeds.length, corpus.length - CORPUS_MAX);
  }
  // What only a seed shows would otherwise be found by the luck of a change that leaves it whole. Last, for what they reach
  // is nothing new any more then.
  for (const input of corpus.slice(0, parser.seeds.length)) tryOne(parser, Buffer.from(input), seed);
  return corpus.length;
}

function tryOne(parser: Parser, input: Buffer, seed: number): void {
  try {
    parser.parse(input);
  } catch (error) {
    if (parser.refuses(error)) return;
    const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
    throw new BrokenPromise(`${parser.name} (seed ${seed}) met ${input.toString('base64')} (base64) with ${what}`);
  }
}

function changed(random: Random, corpus: readonly Buffer[]): Buffer {
  let bytes: Buffer = Buffer.from(random.pick(corpus));
  for (let i = 1 + random.int(4); i > 0; i--) bytes = changedOnce(random, bytes, corpus);
  return bytes.subarray(0, INPUT_MAX);
}

function changedOnce(random: Random, bytes: Buffer, corpus: readonly Buffer[]): Buffer {
  const at = random.int(bytes.length + 1);
  const insert = (piece: Uint8Array): Buffer => Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at)]);
  switch (random.int(7)) {
    case 0:
      if (at < bytes.length) bytes[at] = (bytes[at] as number) ^ (1 << random.int(8));
      return bytes;
    case 1:
      if (at < bytes.length) bytes[at] = random.int(256);
      return bytes;
    case 2:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(Math.min(bytes.length, at + 1 + random.int(8)))]);
    case 3:
      return insert(Buffer.from(random.pick(DICTIONARY)));
    case 4:
      return insert(bytes.subarray(at, at + 1 + random.int(16)));
    case 5: {
      const other = random.pick(corpus);
      return Buffer.concat([bytes.subarray(0, at), other.subarray(random.int(other.length + 1))]);
    }
    default:
      return random.chance(0.5) ? bytes.subarray(0, at) : insert(pack(random.int(2 ** 31)));
  }
}

/** Blocks of our own code that have run, by V8's counters, which start from zero with each look. */
class Coverage {
  readonly #session = new Session();
  readonly #seen = new Set<string>();

  constructor() {
    this.#session.connect();
    this.#session.post('Profiler.enable');
    this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  }

  /** Whether something ran since the last look that never ran before. */
  take(): boolean {
    const before = this.#seen.size;
    this.#session.post('Profiler.takePreciseCoverage', (_, taken) => {
      for (const { url, functions } of taken?.result ?? []) {
        if (!url.includes('/dist/src/') && !url.includes('/dist/agent/')) continue;
        for (const { ranges } of functions)
          for (const { startOffset, endOffset, count } of ranges)
            if (count > 0) this.#seen.add(`${url} ${startOffset} ${endOffset} ${Math.floor(Math.log2(count) / 4)}`);
      }
    });
    return this.#seen.size > before;
  }

  stop(): void {
    this.#session.disconnect();
  }
}
