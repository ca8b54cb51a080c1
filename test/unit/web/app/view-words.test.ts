import assert from 'node:assert/strict';
import { test } from 'node:test';
import { viewWords } from '../../../../web/src/app/view-words.ts';

const NOW_MS = Date.parse('2026-11-28T12:00:00Z');
const words = (search: Readonly<Record<string, string>>): string => viewWords(search, NOW_MS, 'utc').join(' · ');

test('a saved view says in words what its address chooses', () => {
  assert.equal(
    words({ phase: 'running', sort: '-unsaved', saved: 'never' }),
    'running · by unsaved work ↓ · never saved',
  );
  assert.equal(words({ phase: 'failed,stopped', reason: '(none)' }), 'failed or stopped · no reason given');
  assert.equal(words({ q: 'a b', status: 'CheckpointFailed', sort: 'id' }), '“a b” · checkpoint failed · by id ↑');
  assert.equal(words({ range: '24h', queue: 'night' }), 'the last 24 hours · night');
  assert.equal(words({ range: 'age', level: 'warn' }), 'age · warn and above');
  assert.equal(words({ tab: 'ckpt' }), 'Checkpoints');
  assert.equal(words({ series: 'a/b,c/d', agg: 'max' }), '2 series · max');
});

test('its moments are told as the page tells them', () => {
  const [start, end] = ['2026-11-20T08:00:00Z', '2026-11-20T09:30:00Z'];
  assert.equal(words({ start, end }).replaceAll('\u2009', ' '), 'Nov 20, 08:00 – 09:30');
  assert.equal(words({ updatedAfter: start }), 'changed since Nov 20, 08:00');
  assert.equal(words({ updatedBefore: end, phase: 'failed' }), 'failed · changed before Nov 20, 09:30');
});
