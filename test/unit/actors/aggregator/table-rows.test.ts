import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OpenBuckets } from '../../../../src/actors/aggregator/open-buckets.ts';
import { ObjectList, type SampleTable, tableMessages } from '../../../../src/actors/aggregator/sample-table.ts';
import { TableRows } from '../../../../src/actors/aggregator/table-rows.ts';

const LIST = new ObjectList(['node-1']);

function tableOf(value: number): SampleTable {
  const columns = [Float64Array.of(value)];
  const outgoing = tableMessages({ list: LIST, metrics: ['cpuPercent'], columns, times: Float64Array.of(0, 0) });
  return outgoing[0]?.message as SampleTable;
}

function sumsIn(open: OpenBuckets): unknown[] {
  return open.buckets(open.objects.get('node-1'), 'cpuPercent').map(({ sum }) => sum);
}

test('when a slice begins with new buckets, the rows of a list that comes again go there', () => {
  const rows = new TableRows();
  const [before, after] = [new OpenBuckets(), new OpenBuckets()];
  rows.fold(tableOf(1), () => before);
  rows.fold(tableOf(2), () => before);
  rows.fold(tableOf(4), () => after);
  rows.fold(tableOf(8), () => after);
  assert.deepEqual([sumsIn(before), sumsIn(after)], [[[3]], [[12]]]);
});

test('a row without samples makes nothing, and turns to no slice', () => {
  const rows = new TableRows();
  const open = new OpenBuckets();
  let turns = 0;
  rows.fold(tableOf(Number.NaN), () => {
    turns++;
    return open;
  });
  assert.deepEqual([turns, open.objects.size], [0, 0]);
});
