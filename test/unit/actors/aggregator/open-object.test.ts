import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OpenObject } from '../../../../src/actors/aggregator/open-object.ts';

test('series are found in any order, be they few or many, and keep the order in which they came', () => {
  for (const count of [1, 3, 16, 17, 40]) {
    const object = new OpenObject();
    const metrics = Array.from({ length: count }, (_, i) => `metric-${i}`);
    assert.equal(object.find('metric-0'), undefined);
    metrics.forEach((metric, i) => {
      object.add(metric).newest = i;
    });
    for (const step of [1, 7, 39])
      for (let i = 0; i < 2 * count; i++) {
        const place = (i * step) % count;
        assert.equal(object.find(metrics[place] as string)?.newest, place, `${place} of ${count}`);
        assert.equal(object.find('metric-none'), undefined);
      }
    assert.deepEqual(
      [...object].map(({ metric }) => metric),
      metrics,
    );
  }
});
