/** A search of requests: what is found is seen. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seenIn } from '../../../../web/src/logs/seen-words.ts';

const LINE =
  '{"time":"2026-01-31T08:00:00.217Z","method":"GET","url":"/job/a-503","status":404,"bytes":777,"ms":1.888,"agent":"x/9.9"}';

test('a number is found in a request where it is shown, not in what is shown rounded', () => {
  const isSeen = (q: string): boolean => seenIn(q)?.(LINE) ?? true;
  for (const q of ['404', '503', '217', '9.9', 'GET 404', 'ms=1.888', 'bytes=777', 'words']) assert.ok(isSeen(q), q);
  for (const q of ['777', '888', '1.888', '404 888']) assert.ok(!isSeen(q), q);
  assert.equal(seenIn('job status=404'), undefined, 'nothing is left out that need not be looked at');
});
