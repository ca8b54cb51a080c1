/** Which events are kept for what changed: of everything the newest, and the nodes that came or went. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FeedEvent } from '../../../../web/src/api/feed-event.ts';
import { newestOf, withNewest } from '../../../../web/src/api/kept-events.ts';

const event = (position: number, name: string): FeedEvent => ({ position: String(position), name, data: {} });
const many = (count: number, from: number, name: string): FeedEvent[] =>
  Array.from({ length: count }, (_, i) => event(from + i, name));
const positions = (events: readonly FeedEvent[]): number[] => events.map(({ position }) => Number(position));

test('of everything the newest are kept, each once, whatever the order in which they came', () => {
  const events = newestOf([...many(150, 200, 'node.late'), ...many(150, 1, 'node.lost'), event(200, 'node.late')]);
  assert.equal(events.length, 200);
  assert.deepEqual(positions(events).slice(0, 2), [349, 348]);
  assert.equal(positions(events).at(-1), 101);
});

test('nodes that came or went are not pushed out by nodes that are late, up to a bound', () => {
  const comings = [...many(40, 1, 'node.registered'), ...many(40, 41, 'node.deregistered')];
  const events = withNewest(many(300, 100, 'node.late').reverse(), newestOf(comings));
  const countOf = (name: string): number => events.filter((one) => one.name === name).length;
  assert.deepEqual(['node.late', 'node.registered', 'node.deregistered'].map(countOf), [200, 40, 40]);
  assert.equal(newestOf(many(5_000, 1, 'node.registered')).length, 2_200);
});

test('where nothing is new the list is the one that was', () => {
  const before = newestOf(many(3, 1, 'node.lost'));
  assert.equal(withNewest([], before), before);
});
