import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LineBuffer } from '../../../src/base/line-buffer.ts';

test('lines before the connection wait, and go out in order with it', () => {
  const sent: string[] = [];
  const buffer = new LineBuffer();
  buffer.write('one\n');
  buffer.write('two\n');
  buffer.flush();
  buffer.connect((lines) => sent.push(lines));
  assert.deepEqual(sent, ['one\ntwo\n']);
});

test('lines of some milliseconds go out as one', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const sent: string[] = [];
  const buffer = new LineBuffer();
  buffer.connect((lines) => sent.push(lines));
  buffer.write('one\n');
  buffer.write('two\n');
  assert.deepEqual(sent, []);
  t.mock.timers.tick(50);
  assert.deepEqual(sent, ['one\ntwo\n']);
  buffer.write('three\n');
  t.mock.timers.tick(50);
  assert.deepEqual(sent, ['one\ntwo\n', 'three\n']);
  t.mock.timers.tick(1_000);
  assert.equal(sent.length, 2, 'nothing is sent where nothing was written');
});

test('beyond its bound the newest lines are dropped and counted, until what waits is taken', () => {
  const sent: string[] = [];
  const buffer = new LineBuffer();
  const line = `${'x'.repeat(1023)}\n`;
  for (let i = 0; i < 1_024; i++) buffer.write(line);
  assert.equal(buffer.dropped, 0);
  buffer.write('late\n');
  buffer.write('later\n');
  assert.equal(buffer.dropped, 2);
  buffer.connect((lines) => sent.push(lines));
  assert.equal(sent[0], line.repeat(1_024));
  buffer.write('in time\n');
  buffer.flush();
  assert.equal(sent[1], 'in time\n');
});
