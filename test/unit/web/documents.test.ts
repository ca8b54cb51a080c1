/** Documents as the bundler makes pages of them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { htmlOf } from '../../../web/documents.ts';

const page = (text: string): string => htmlOf('guide/a', `# A\n\n${text}`, []);

test('what looks like a tag is shown as it is written, and a comment is not', () => {
  assert.ok(
    page('The file <name>-access.log of viewer@<queue>.').includes('&lt;name>-access.log of viewer@&lt;queue>'),
  );
  assert.ok(page('<schema> begins a line').includes('&lt;schema> begins a line'));
  assert.ok(!page('<script>run()</script>').includes('<script'));
  assert.ok(!page('<!-- for writers -->\n\nText.').includes('writers'));
});

test('an address that is written out, or of no public host, is no link; a named document is', () => {
  for (const text of [
    'At https://0.0.0.0:443 it listens.',
    'Open <http://127.0.0.1:8080>.',
    'See https://www.debian.org for it.',
    'Ask [the server](https://cairn.example.com/api).',
    'Ask [the server](http://localhost:8080).',
  ])
    assert.ok(!page(text).includes('<a '), text);
  for (const href of ['https://criu.org', 'https://www.examples.org/x', '#a'])
    assert.ok(page(`Read [this](${href}).`).includes(`<a href="${href}">this</a>`), href);
});

test('four headings make a list of what is on the page, three do not; headings keep their code', () => {
  const four = page('## One\n\n## `two`\n\n## [Three](#one)\n\n## Four\n');
  assert.match(four, /<h1[^>]*>A<\/h1>\s*<nav class="contents"/);
  assert.ok(
    four.includes(
      '<ul><li><a href="#one">One</a></li><li><a href="#two"><code>two</code></a></li>' +
        '<li><a href="#three">Three</a></li><li><a href="#four">Four</a></li></ul>',
    ),
  );
  assert.ok(!page('## One\n\n## Two\n\n## Three\n\n### Four\n').includes('contents'));
});

test('a table of four columns has the room of the page, and a cell that is a sentence has a class', () => {
  const sentence = 'a sentence that says at some length what a field of the table means';
  const table = (columns: number): string => {
    const row = (text: string): string => `|${` ${text} |`.repeat(columns)}`;
    return page([row('x'), row('---'), `${row('x')}`, row(sentence)].join('\n'));
  };
  assert.ok(table(4).includes('<div class="text text-wide">'));
  assert.ok(table(3).includes('<div class="text">'));
  assert.ok(table(3).includes(`<td class="prose">${sentence}</td>`));
  assert.ok(table(3).includes('<td>x</td>'));
});
