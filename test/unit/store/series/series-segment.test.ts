import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CodedError } from '../../../../src/base/errors.ts';
import { LEVELS } from '../../../../src/protocol/rollup-retention.ts';
import { BucketColumns } from '../../../../src/store/series/bucket-columns.ts';
import { encodeSegment, readSegmentSeries } from '../../../../src/store/series/series-segment.ts';
import { bucketsOfSamples } from '../../../support/series-content.ts';

const [FINE] = LEVELS;
/** Some begin as others do, some are as long as others, and some bytes are no ASCII. */
const OBJECTS = ['node.a', 'node.ab', 'node.ac', 'node.é', 'node.ee', 'queue.a', 'queue.b'];
const METRICS = ['cpu', 'cpv', 'cp', 'größe'];

function segment(objects: readonly string[]): Uint8Array {
  const content = new Map(
    objects.map((objectId) => [
      objectId,
      new Map(
        METRICS.map((metric) => [metric, bucketsOfSamples(FINE, 0, [[0, 0, 0, numberOf(objectId, metric)]])] as const),
      ),
    ]),
  );
  return encodeSegment(content, 0, FINE.intervalMs);
}

function numberOf(objectId: string, metric: string): number {
  return OBJECTS.indexOf(objectId) * 10 + METRICS.indexOf(metric);
}

function valueIn(bytes: Uint8Array, objectId: string, metric: string): number | undefined {
  const columns = new BucketColumns();
  return readSegmentSeries(bytes, objectId, metric, 0, FINE.intervalMs, columns) ? columns.min[0] : undefined;
}

test('a series is found by its names, whatever others there are', () => {
  const bytes = segment(OBJECTS);
  for (const objectId of OBJECTS) {
    for (const metric of METRICS) assert.equal(valueIn(bytes, objectId, metric), numberOf(objectId, metric));
    assert.equal(valueIn(bytes, objectId, 'c'), undefined);
    assert.equal(valueIn(bytes, objectId, 'cpuu'), undefined);
  }
  for (const objectId of ['node.', 'node.b', 'node.abc', 'queue.c'])
    assert.equal(valueIn(bytes, objectId, 'cpu'), undefined);
});

test('a question that changes from object to object is answered of each', () => {
  const [one, other] = [segment(['node.a']), segment(['node.ab'])];
  assert.deepEqual(
    [one, other, one].map((bytes) => [valueIn(bytes, 'node.a', 'cpu'), valueIn(bytes, 'node.ab', 'cpu')]),
    [
      [0, undefined],
      [undefined, 10],
      [0, undefined],
    ],
  );
});

test('damage to the list of objects or to the object itself is told, damage to another object is not', () => {
  const bytes = segment(OBJECTS);
  const told = [...bytes.keys()].filter((at) => {
    const damaged = Uint8Array.from(bytes);
    damaged[at] = (damaged[at] as number) ^ 1;
    try {
      assert.equal(valueIn(damaged, 'node.ab', 'cpu'), numberOf('node.ab', 'cpu'));
      return false;
    } catch (error) {
      assert.ok(error instanceof CodedError, String(error));
      return true;
    }
  });
  const own = segment(['node.ab']).byteLength - segment([]).byteLength - 'node.ab'.length - 2;
  const list = bytes.byteLength - OBJECTS.length * own;
  assert.ok(told.length >= list, `${told.length} of ${bytes.byteLength} places`);
  assert.ok(told.length < bytes.byteLength / 2);
  for (let size = 0; size < list; size++)
    assert.throws(() => valueIn(bytes.subarray(0, size), 'node.ab', 'cpu'), CodedError);
});
