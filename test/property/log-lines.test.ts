/** Lines of a log: what is chosen from chunks, and what is found from the end, is what a split of the whole would give. */
import assert from 'node:assert/strict';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { LINE_SIZE_MAX, LineFilter } from '../../src/base/lines/line-filter.ts';
import type { LineTexts } from '../../src/base/lines/wanted-texts.ts';
import { logRead } from '../../src/workers/logs/log-read.ts';
import { logTail } from '../../src/workers/logs/log-tail.ts';
import fc from '../support/laws/fast-check.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Short lines of few characters, so that a search text of few characters is found often, also across chunks. */
const text = fc
  .array(fc.stringMatching(/^[abAÄ]{0,6}$/), { maxLength: 40 })
  .chain((lines) =>
    fc.boolean().map((ends) => (ends && lines.length > 0 ? `${lines.join('\n')}\n` : lines.join('\n'))),
  );
const wanted = fc.stringMatching(/^[abAÄ]{1,3}$/);

/** One or two groups of texts, in their own case or in any: a line has one of each. */
const groups = fc.array(
  fc.record({
    texts: fc.array(wanted, { minLength: 1, maxLength: 3 }),
    anyCase: fc.boolean(),
    isExcluded: fc.boolean(),
  }),
  {
    maxLength: 2,
  },
);

const small = (text: string): string => text.replaceAll('A', 'a');
const hasTexts = (line: string, groups: LineTexts): boolean =>
  groups.every(
    ({ texts, anyCase, isExcluded }) =>
      texts.some((text) => (anyCase ? small(line).includes(small(text)) : line.includes(text))) !== isExcluded,
  );

const linesOf = (whole: string): string[] => whole.match(/[^\n]*\n|[^\n]+$/g) ?? [];

test('a filter gives the whole lines that have one text of each group, however the bytes are cut', () => {
  fc.assert(
    fc.property(text, groups, fc.array(fc.nat(50), { maxLength: 10 }), (whole, texts, cuts) => {
      const filter = new LineFilter(texts);
      let kept = '';
      let at = 0;
      for (const size of [...cuts, whole.length]) {
        kept += Buffer.from(filter.push(Buffer.from(whole.slice(at, at + size)))).toString();
        at += size;
      }
      kept += Buffer.from(filter.end()).toString();
      assert.equal(
        kept,
        linesOf(whole)
          .filter((line) => hasTexts(line, texts))
          .join(''),
      );
    }),
  );
});

test('a line without an end is given in pieces, and holds no more than one', () => {
  const filter = new LineFilter([{ texts: ['x'] }]);
  let size = 0;
  for (let i = 0; i < 64; i++) size += filter.push(Buffer.alloc(64 * 1024, 'x')).byteLength;
  assert.ok(size >= 64 * 64 * 1024 - LINE_SIZE_MAX);
});

test('the last lines, and the last lines with texts, are those of the whole', async (t) => {
  const file = join(temporaryFolder(t), 'x.log');
  await fc.assert(
    fc.asyncProperty(
      text,
      groups,
      fc.nat(12),
      // Padding puts line breaks on both sides of the steps in which the file is read.
      fc.constantFrom(0, 100_000, 131_070, 131_071, 131_072, 131_073, 300_000),
      async (end, texts, lines, padding) => {
        const whole = `${'c'.repeat(padding)}${padding > 0 ? '\n' : ''}${end}`;
        writeFileSync(file, whole);
        const fd = openSync(file, 'r');
        try {
          const size = Buffer.byteLength(whole);
          const { start, unfinished } = await logTail({ type: 'logTail', fd, size, lines, texts });
          let read = '';
          for await (const chunk of logRead({ type: 'logRead', fd, from: start, to: size, texts }))
            read += Buffer.from(chunk).toString();
          const chosen = linesOf(whole).filter((line) => hasTexts(line, texts));
          assert.equal(read, lines === 0 ? '' : chosen.slice(-lines).join(''));
          if (texts.length > 0)
            assert.equal(unfinished, Buffer.byteLength(whole.slice(0, whole.lastIndexOf('\n') + 1)));
        } finally {
          closeSync(fd);
        }
      },
    ),
    { numRuns: 300 },
  );
});
