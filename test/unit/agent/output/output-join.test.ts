import assert from 'node:assert/strict';
import { test } from 'node:test';
import { continued, joinsAt, logOffsetOfLast, tailStart } from '../../../../agent/output/output-join.ts';

test('on another node the log begins with what the server did not have', () => {
  const saved = { segments: [{ nodeId: 'a', start: 0 }], length: 100, acknowledged: 80 };
  assert.deepEqual(continued(saved, 'b'), {
    segments: [
      { nodeId: 'a', start: 0 },
      { nodeId: 'b', start: 80 },
    ],
    logLength: 0,
    carried: 20,
    tail: 20,
  });
  assert.equal(tailStart(continued(saved, 'b')), 0);
});

test('on the same node the log is cut back to the image', () => {
  const saved = { segments: [{ nodeId: 'a', start: 0 }], length: 100, acknowledged: 80 };
  assert.deepEqual(continued(saved, 'a'), { segments: saved.segments, logLength: 100, carried: 0, tail: 20 });
  assert.equal(tailStart(continued(saved, 'a')), 80);
});

test('back on the first node the log goes on behind what of it counts', () => {
  const segments = [
    { nodeId: 'a', start: 0 },
    { nodeId: 'b', start: 80 },
  ];
  const back = continued({ segments, length: 200, acknowledged: 200 }, 'a');
  assert.deepEqual(back.segments.at(-1), { nodeId: 'a', start: 200 });
  assert.equal(back.logLength, 80, 'the twenty bytes behind it were written again by b');
  assert.equal(logOffsetOfLast(back.segments), 80);
  const stays = continued({ segments: back.segments, length: 230, acknowledged: 210 }, 'a');
  assert.equal(stays.logLength, 110);
});

test('an acknowledgement that is older than the segment carries all of the segment, and no more', () => {
  const segments = [
    { nodeId: 'a', start: 0 },
    { nodeId: 'b', start: 80 },
  ];
  assert.equal(continued({ segments, length: 100, acknowledged: 10 }, 'c').carried, 20);
});

test('readers are told the length of the image, or the place before what the image carries', () => {
  const saved = { segments: [{ nodeId: 'a', start: 0 }], length: 100, acknowledged: 80 };
  assert.equal(joinsAt(saved, 'a', true), 100);
  assert.equal(joinsAt(saved, 'b', false), 80);
});

test('where another node went on from the image meanwhile, the whole segment of this one counts again', () => {
  const segments = [
    { nodeId: 'a', start: 0 },
    { nodeId: 'b', start: 80 },
  ];
  assert.equal(joinsAt({ segments, length: 100, acknowledged: 90 }, 'b', false), 80);
  assert.equal(joinsAt({ segments: segments.slice(0, 1), length: 100, acknowledged: 0 }, 'a', false), 0);
});
