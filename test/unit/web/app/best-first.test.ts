import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bestFirst } from '../../../../web/src/app/best-first.ts';

interface Row {
  readonly id: string;
  readonly name?: string;
}

const found = (rows: readonly Row[], text: string): { readonly ids: readonly string[]; readonly best: number } => {
  const { rows: sorted, best } = bestFirst(rows, text, ({ id, name }) => ({ ids: [id], name }));
  return { ids: sorted.map(({ id }) => id), best };
};

test('ids that begin with the text come first, then those that have it, then names, then the rest; equals stay', () => {
  const rows = [
    { id: 'by-volume' },
    { id: 'by-name', name: 'the haplotype caller' },
    { id: 'my-haplotype' },
    { id: 'Haplotype-2' },
    { id: 'haplotype-1', name: 'haplotype' },
  ];
  assert.deepEqual(found(rows, 'HAPLO'), {
    ids: ['Haplotype-2', 'haplotype-1', 'my-haplotype', 'by-name', 'by-volume'],
    best: 0,
  });
  assert.equal(found(rows, 'caller').best, 2);
  assert.equal(found([], 'caller').best, Number.POSITIVE_INFINITY);
});
