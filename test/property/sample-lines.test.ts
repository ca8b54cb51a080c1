/**
 * Law: lines of samples are what JSON.parse makes of each, or are refused where it refuses one, whatever is in them, whatever was
 * read before, and however they are damaged. What is read without it is what it would have read.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseBody } from '../../src/gateway/body/parse-body.ts';
import { readSampleLines, type SampleLines, sampleLinesInSlices } from '../../src/gateway/body/sample-lines.ts';
import { shortNameOf } from '../../src/protocol/metric.ts';
import fc from '../support/laws/fast-check.ts';

interface Outcome {
  readonly values?: readonly unknown[];
  readonly refused?: string;
}

function outcomeOf(work: () => readonly unknown[]): Outcome {
  try {
    return { values: work() };
  } catch (error) {
    return { refused: (error as Error).message };
  }
}

function read(bytes: Buffer): SampleLines {
  const work = sampleLinesInSlices(bytes);
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

function valuesOf(lines: SampleLines): unknown[] {
  return Array.from({ length: lines.count }, (_, place) => lines.at(place));
}

/** How many lines were read without JSON.parse, all of them as it would have. */
function knownIn(lines: SampleLines): number {
  let known = 0;
  for (let place = 0; place < lines.count; place++) {
    if (lines.metrics[place] === undefined) continue;
    known++;
    const { objectId, definitionId, time, value, ...others } = lines.at(place) as Record<string, unknown>;
    assert.deepEqual(others, {});
    assert.deepEqual(
      [lines.objectIds[place], lines.metrics[place], lines.times[place]],
      [objectId, shortNameOf(definitionId as string), time],
    );
    assert.ok(Object.is(lines.values[place], value), `${lines.values[place]} for ${String(value)}`);
  }
  return known;
}

/** What both make of the same bytes, as often as it takes for every beginning of a line to be known. */
function mustAgree(bytes: Buffer): void {
  const expected = outcomeOf(() => parseBody('ndjson', bytes) as unknown[]);
  for (let times = 0; times < 3; times++) {
    assert.deepEqual(
      outcomeOf(() => {
        const lines = read(bytes);
        knownIn(lines);
        return valuesOf(lines);
      }),
      expected,
    );
  }
}

const objectId = fc.constantFrom(
  'node-1',
  'node-2',
  'queue-q',
  'node-1"',
  'nöde',
  'a\\b',
  '',
  '\u007f',
  'x'.repeat(600),
);
const definitionId = fc.constantFrom('cpuPercent', 'metricDef-cpuPercent', 'gpu', 'metricDef-', 'g\tu', '\u2028');
const time = fc.constantFrom(
  '2026-05-01T08:15:00Z',
  '2026-05-01T08:15:00.250Z',
  'yesterday',
  '',
  'ü',
  '"',
  '1\\',
  '9'.repeat(50),
);
const value = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.double({ min: -1e6, max: 1e6, noNaN: true }),
  fc.integer(),
  fc.nat(99_999).map((n) => n / 100),
  fc.constantFrom(0, -0, 1e22, 123_456_789_012_345, 1_234_567_890_123_456, 0.1 + 0.2, -1e-9),
);
const number = fc.oneof(
  value.map((n) => (Object.is(n, -0) ? '-0' : JSON.stringify(n))),
  fc.constantFrom(
    '01',
    '-',
    '.5',
    '5.',
    '-01.5',
    '1e3',
    '1E-3',
    '0.000000000000001',
    '00',
    '0.10',
    '-0.0',
    'null',
    '"1"',
    '1 ',
  ),
);
const sample = fc.record({ objectId, definitionId, time });
const form = fc.constantFrom(
  ['objectId', 'definitionId', '', ''],
  ['objectId', 'definitionId', ' ', ' '],
  ['objectId', 'definitionId', ' ', ''],
  ['definitionId', 'objectId', '', ''],
  ['definitionId', 'definitionId', '', ''],
  ['objectId', 'objectId', '', ' '],
  ['objectId', 'definitionId', '  ', ''],
) as fc.Arbitrary<[keyof typeof NAMES, keyof typeof NAMES, string, string]>;
const NAMES = { objectId: 1, definitionId: 1 };

const line = fc.tuple(sample, form, number).map(([fields, [first, second, colon, comma], text]) => {
  const member = (name: keyof typeof fields): string =>
    `${JSON.stringify(name)}:${colon}${JSON.stringify(fields[name])}`;
  return `{${[member(first), member(second), member('time'), `"value":${colon}${text}`].join(`,${comma}`)}}`;
});
const other = fc.oneof(
  fc.jsonValue({ maxDepth: 1 }).map((any) => JSON.stringify(any)),
  fc.constantFrom(
    '',
    ' ',
    '\t',
    '\ufeff',
    '{}',
    '{',
    '}',
    '"',
    '{"objectId":"node-1","definitionId":"cpuPercent","time":"',
  ),
);
const lines = fc.array(fc.oneof({ arbitrary: line, weight: 4 }, other), { maxLength: 8 });
const end = fc.constantFrom('\n', '\r\n', '\n\n', ' \n', '\r\r\n');
const text = fc
  .tuple(lines, end, fc.boolean())
  .map(([all, between, isEnded]) => all.join(between) + (isEnded ? between : ''));

test('lines of samples are what JSON.parse makes of them', () => {
  fc.assert(
    fc.property(text, (all) => mustAgree(Buffer.from(all))),
    { numRuns: 1_500 },
  );
});

test('damaged lines are refused where JSON.parse refuses them, with their number', () => {
  const damage = fc.tuple(
    fc.nat(),
    fc.nat(2),
    fc.constantFrom('', '"', '\\', ',', ':', '}', '\n', ' ', '1', '-', '.', 'ü', '\0'),
  );
  fc.assert(
    fc.property(line, fc.array(damage, { minLength: 1, maxLength: 2 }), (sound, damages) => {
      outcomeOf(() => valuesOf(read(Buffer.from(sound))));
      let broken = sound;
      for (const [place, removed, added] of damages) {
        const at = place % (broken.length + 1);
        broken = broken.slice(0, at) + added + broken.slice(at + removed);
      }
      mustAgree(Buffer.from(`${sound}\n${broken}\n${sound}`));
    }),
    { numRuns: 3_000 },
  );
});

test('a number of many digits is the double that JSON.parse makes of it', () => {
  const sent = Array.from({ length: 300 }, (_, i) => String((i + 1) * 0.123_456_789_123_456_7)).map(
    (text) => `{"objectId":"digits","definitionId":"cpuPercent","time":"2026-05-01T08:15:00Z","value":${text}}`,
  );
  mustAgree(Buffer.from(sent.join('\n')));
});

test('a line that ends anywhere is refused, or is what it is', () => {
  const sound = '{"objectId":"cut","definitionId":"cpuPercent","time":"2026-05-01T08:15:00Z","value":-12.25}';
  for (let length = 0; length <= sound.length; length++) mustAgree(Buffer.from(`${sound}\n${sound.slice(0, length)}`));
});

test('what is not UTF-8 is refused, also within a text', async () => {
  const sound = '{"objectId":"node-1","definitionId":"cpuPercent","time":"é","value":1}';
  const bytes = Buffer.from(sound, 'latin1');
  await assert.rejects(readSampleLines(bytes), { name: 'malformed', message: /not UTF-8/ });
  assert.equal((await readSampleLines(Buffer.from(sound))).count, 1);
});

test('lines that come again are read without JSON.parse, in each of the usual forms and in any order', () => {
  const samples = [1, 2, 3].flatMap((node) =>
    ['cpuPercent', 'metricDef-gpu'].map((id) => ({
      objectId: `again-${node}`,
      definitionId: id,
      time: '2026-05-01T08:15:00Z',
    })),
  );
  const compact = samples.map((one, place) => JSON.stringify({ ...one, value: place / 4 }));
  const spaced = compact.map((one) =>
    one.replaceAll(':', ': ').replaceAll(',', ', ').replaceAll('08: 15: 00', '08:15:00'),
  );
  const sorted = samples.map(({ definitionId: id, ...one }) => JSON.stringify({ definitionId: id, ...one, value: -1 }));
  for (const form of [compact, spaced, sorted]) {
    assert.equal(knownIn(read(Buffer.from(form.join('\n')))), 0, 'new');
    for (const again of [form, form.toReversed(), [...form.slice(3), ...form.slice(0, 3)]])
      assert.equal(knownIn(read(Buffer.from(`${again.join('\r\n')}\n`))), form.length, again[0]);
  }
});

test('a body of many slices is read with turns in between', () => {
  const sent = '{"objectId":"slices","definitionId":"cpuPercent","time":"2026-05-01T08:15:00Z","value":1}\n'.repeat(
    9_000,
  );
  const work = sampleLinesInSlices(Buffer.from(sent));
  let turns = 0;
  for (;;) {
    const { done, value } = work.next();
    if (done) {
      assert.equal(value.count, 9_000);
      break;
    }
    turns++;
  }
  assert.ok(turns >= 2, `${turns} turns`);
});

test('the objects of all lines are told, known or not', () => {
  const own = '{"objectId":"node-1","definitionId":"cpuPercent","time":"2026-05-01T08:15:00Z","value":1}';
  const sent = Buffer.from(`${own}\n${own.replace('node-1', 'node-2')}\n{"objectId":"node-3"}\n7\n`);
  for (let times = 0; times < 2; times++) {
    const named = read(sent)
      .objects()
      .map((one) => (one as { objectId?: string }).objectId);
    assert.deepEqual(named, ['node-1', 'node-2', 'node-3', undefined]);
  }
});
