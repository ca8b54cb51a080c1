import assert from 'node:assert/strict';
import { test } from 'node:test';
import { csvRow } from '../../../../src/protocol/lists/csv.ts';
import type { RowStyle } from '../../../../src/protocol/lists/row-style.ts';
import { BUFFER_SIZE, BufferPool } from '../../../../src/workers/bytes/buffer-pool.ts';
import { RowWriter } from '../../../../src/workers/rows/row-writer.ts';

const ROWS = [
  { id: 'j-1', cpus: 4, events: [{ timestamp: 't' }], instance: { zone: 'a', region: 'r' } },
  { id: 'größe', instance: { zone: 'b' } },
];

function written(
  style: Partial<RowStyle>,
  rows: readonly object[] = ROWS,
  columns: readonly string[] = ['id', 'cpus'],
): string {
  const writer = new RowWriter({ format: 'json', fields: null, ...style }, columns);
  const chunks = rows.map((row) => writer.add(Buffer.from(JSON.stringify(row))));
  return Buffer.concat([...chunks, writer.end()].filter((chunk) => chunk !== undefined)).toString('utf8');
}

test('JSON rows are a JSON array, byte for byte what they were', () => {
  assert.equal(written({}), JSON.stringify(ROWS));
  assert.equal(written({}, []), '[]');
  assert.equal(written({}, [{}]), '[{}]');
});

test('lines of JSON end in a newline each, and none are nothing', () => {
  assert.equal(written({ format: 'ndjson' }), ROWS.map((row) => `${JSON.stringify(row)}\n`).join(''));
  assert.equal(written({ format: 'ndjson' }, []), '');
});

test('chosen fields come in the order of the choice, nested ones stay nested, missing ones are left out', () => {
  const fields = ['instance.zone', 'cpus', 'id', 'instance.region', 'nothing', 'nothing.below'];
  assert.deepEqual(JSON.parse(written({ fields })), [
    { instance: { zone: 'a', region: 'r' }, cpus: 4, id: 'j-1' },
    { instance: { zone: 'b' }, id: 'größe' },
  ]);
  assert.equal(written({ format: 'ndjson', fields: ['id'] }), '{"id":"j-1"}\n{"id":"größe"}\n');
});

test('CSV has a line of names, then a line a row, also where there is no row', () => {
  assert.equal(written({ format: 'csv' }), 'id,cpus\r\nj-1,4\r\ngröße,\r\n');
  assert.equal(written({ format: 'csv' }, []), 'id,cpus\r\n');
  assert.equal(
    written({ format: 'csv', fields: ['instance.zone', 'events'] }),
    'instance.zone,events\r\na,"[{""timestamp"":""t""}]"\r\nb,\r\n',
  );
});

test('cells with commas, quotes or line ends are quoted, and no cell is a formula', () => {
  assert.equal(csvRow(['a,b', 'a"b', 'a\nb', 'a\r', 'plain', '', ' = ']), '"a,b","a""b","a\nb","a\r",plain,, = \r\n');
  assert.equal(csvRow(['=1+1', '+1', '-1', '@x', '\tx']), "'=1+1,'+1,'-1,'@x,'\tx\r\n");
  assert.equal(csvRow(['=a,b', null, undefined, -1.5, true, [1], {}]), '"\'=a,b",,,-1.5,true,[1],{}\r\n');
});

test('a row that is longer than a chunk comes whole, and what it was read from may be used again at once', () => {
  const writer = new RowWriter({ format: 'ndjson', fields: null }, []);
  const source = new Uint8Array(3_000_000);
  let expected = '';
  let written = '';
  for (const [i, size] of [10, 20_000, 3_000_000, 200_000, 100_000, 5].entries()) {
    const row = source.subarray(0, size).fill(0x61 + i);
    expected += `${Buffer.from(row)}\n`;
    const chunk = writer.add(row);
    if (chunk) written += Buffer.from(chunk).toString();
  }
  written += Buffer.from(writer.end()).toString();
  assert.ok(written === expected);
});

test('buffers that came back are filled again, and only as many are kept as a stream needs', () => {
  const bufferPool = new BufferPool();
  const row = Buffer.from('x'.repeat(1_000));
  const fill = (writer: RowWriter): Uint8Array => {
    for (;;) {
      const chunk = writer.add(row);
      if (chunk) return chunk;
    }
  };
  const writer = new RowWriter({ format: 'ndjson', fields: null }, [], bufferPool);
  const first = fill(writer);
  const text = Buffer.from(first).toString();
  bufferPool.give(first.buffer as ArrayBuffer);
  const second = fill(writer);
  assert.equal(second.buffer, first.buffer);
  assert.equal(Buffer.from(second).toString(), text);
  bufferPool.give(new ArrayBuffer(10));
  assert.equal(bufferPool.take(), undefined, 'one of another size is not kept');
  for (let i = 0; i < 100; i++) bufferPool.give(new ArrayBuffer(BUFFER_SIZE));
  let kept = 0;
  while (bufferPool.take()) kept++;
  assert.equal(kept, 8);
});

test('many rows come in chunks of a bounded size, each with a buffer of its own', () => {
  const row = Buffer.from(JSON.stringify({ text: 'x'.repeat(1_000) }));
  const writer = new RowWriter({ format: 'json', fields: null }, []);
  const chunks: Uint8Array[] = [];
  for (let i = 0; i < 2_000; i++) {
    const chunk = writer.add(row);
    if (chunk) chunks.push(chunk);
  }
  chunks.push(writer.end());
  assert.ok(chunks.length > 5);
  for (const chunk of chunks) {
    assert.ok(chunk.byteLength <= 256 * 1024 + row.byteLength + 1);
    assert.ok(chunk.buffer.byteLength <= BUFFER_SIZE);
  }
  assert.equal(new Set(chunks.map(({ buffer }) => buffer)).size, chunks.length);
  assert.equal((JSON.parse(Buffer.concat(chunks).toString()) as unknown[]).length, 2_000);
});
