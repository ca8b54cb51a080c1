/** Views that a browser kept: what of the stored text is taken, and how one is added. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VIEWS_MAX, viewsIn, withView } from '../../../../web/src/preferences/saved-views.ts';

const view = (name: string) => ({ name, to: '/jobs', search: { phase: 'failed' } });

test('views come back as they were kept; what is none is left out', () => {
  const kept = [view('a'), view('b')];
  assert.deepEqual(viewsIn(JSON.stringify(kept)), kept);
  const bad = [
    null,
    1,
    {},
    { name: 'x', to: 'https://example.com', search: {} },
    { ...view('y'), search: { phase: 1 } },
  ];
  assert.deepEqual(viewsIn(JSON.stringify([...bad, view('c')])), [view('c')]);
  assert.equal(viewsIn('{'), undefined);
  assert.equal(viewsIn('"text"'), undefined);
  assert.equal(viewsIn(JSON.stringify(Array.from({ length: 60 }, (_, i) => view(`${i}`))))?.length, VIEWS_MAX);
});

test('a new view stands first, in place of one of the same name', () => {
  const views = withView([view('a'), view('b')], { ...view('b'), to: '/nodes' });
  assert.deepEqual(
    views.map(({ name, to }) => [name, to]),
    [
      ['b', '/nodes'],
      ['a', '/jobs'],
    ],
  );
});
