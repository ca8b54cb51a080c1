import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AnyRows, printRows } from '../../../../cli/output/rows.ts';
import type { Screen } from '../../../../cli/output/screen.ts';

async function csvOf(rows: AnyRows): Promise<string> {
  let printed = '';
  const print = async (text: string): Promise<void> => {
    printed += text;
  };
  await printRows({ form: 'csv', print } as unknown as Screen, [], rows);
  return printed;
}

test('a CSV file has a column for each field of any row', async () => {
  const rows = [
    { id: 'a', state: 'ok' },
    { id: 'b', queue: 'q', state: 'ok' },
  ];
  assert.equal(await csvOf(rows), 'id,state,queue\r\na,ok,\r\nb,ok,q\r\n');
  assert.equal(await csvOf([]), '');
});

test('rows that come one after the other have the columns of the first', async () => {
  async function* rows() {
    yield { id: 'a', value: 1 };
    yield { id: 'b', value: 2 };
  }
  assert.equal(await csvOf(rows()), 'id,value\r\na,1\r\nb,2\r\n');
});
