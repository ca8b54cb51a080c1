/** Positions of a log that is appended to and cut, against a model that remembers when each byte came. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LogFeed } from '../../src/store/logs/log-feed.ts';
import fc from '../support/laws/fast-check.ts';

const step = fc.oneof(
  fc.record({ appends: fc.nat(9) }),
  fc.record({ keeps: fc.double({ min: 0, max: 1, noNaN: true }) }),
);

test('a follower at any position goes on with the first byte of the log that it cannot have seen', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const feed = new LogFeed();
      /** Of each byte that the log holds, the position at which it was told. */
      let log: number[] = [];
      let end = 0;
      for (const one of steps) {
        if ('appends' in one) {
          assert.equal(feed.positionOf(log.length), end, 'what is appended follows what was told before');
          for (let i = 0; i < one.appends; i++) log.push(end++);
        } else {
          const kept = Math.floor(log.length * one.keeps);
          feed.cut(log.length, kept);
          log = log.slice(0, kept);
        }
        for (let position = 0; position <= end; position++) {
          const next = log.findIndex((told) => told >= position);
          assert.equal(feed.offsetOf(position), next === -1 ? log.length : next, `from ${position} of ${end}`);
        }
      }
    }),
  );
});

test('after more cuts than are remembered, one that is behind all of them has to come again', () => {
  const feed = new LogFeed();
  for (let i = 0; i < 65; i++) feed.cut(10, 0);
  assert.equal(feed.offsetOf(9), null);
  assert.equal(feed.offsetOf(10), 0);
  assert.equal(feed.positionOf(0), 650);
});
