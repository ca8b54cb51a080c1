/** The dashboard makes no markup and no script of a text: it has no way to. React puts texts where texts belong. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { type SourceFile, sourceFiles } from '../support/source-tree.ts';

const WAYS =
  /\b(dangerouslySetInnerHTML|innerHTML|outerHTML|insertAdjacentHTML|createContextualFragment|DOMParser|srcdoc|srcDoc|eval|document\.write(ln)?)\b|\bnew Function\b|javascript:/;

export function markupFaults(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path, text }) =>
    text
      .split('\n')
      .flatMap((line, i) => (WAYS.test(line) ? [`${path}:${i + 1} makes markup or a script of a text`] : [])),
  );
}

test('nothing in the dashboard makes markup of a text', () => {
  const plain = ['web/plain/plain.js', 'web/plain/index.html', 'web/index.html', 'web/public/theme.js'];
  const files = [...sourceFiles('web/src'), ...plain.map((path) => ({ path, text: readFileSync(path, 'utf8') }))];
  assert.ok(files.length > 40);
  assert.deepEqual(markupFaults(files), []);
});

test('the ways are known', () => {
  const planted = [
    '<b dangerouslySetInnerHTML={{ __html: job.name }} />',
    'row.innerHTML = name;',
    "a.href = 'javascript:x';",
  ];
  for (const text of planted) assert.equal(markupFaults([{ path: 'a.tsx', text }]).length, 1, text);
  assert.deepEqual(markupFaults([{ path: 'a.tsx', text: 'row.textContent = evaluation;' }]), []);
});
