import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agentLog } from '../../../../agent/base/log.ts';
import { Once } from '../../../../agent/base/log-once.ts';

const WALL_MS = Date.UTC(2026, 0, 2, 3, 4, 5, 678);

test('a line has time, level and text, and lesser levels are not written', () => {
  const lines: string[] = [];
  const log = agentLog(
    'info',
    (line) => lines.push(line),
    () => WALL_MS,
  );
  log.debug('hidden');
  log.info('shown');
  log.error('too');
  assert.deepEqual(lines, ['2026-01-02T03:04:05.678Z info  shown\n', '2026-01-02T03:04:05.678Z error too\n']);
});

test('the level fatal writes nothing and trace everything', () => {
  const count = (level: 'fatal' | 'trace'): number => {
    const lines: string[] = [];
    const log = agentLog(
      level,
      (line) => lines.push(line),
      () => WALL_MS,
    );
    log.debug('a');
    log.info('b');
    log.warn('c');
    log.error('d');
    return lines.length;
  };
  assert.equal(count('fatal'), 0);
  assert.equal(count('trace'), 4);
});

test('one event is one line, whatever a peer put into it', () => {
  const lines: string[] = [];
  agentLog(
    'info',
    (line) => lines.push(line),
    () => WALL_MS,
  ).warn(`a\nb\r\n\u001b[31mc${'x'.repeat(5_000)}`);
  assert.equal(lines.length, 1);
  assert.match(lines[0] ?? '', /warn {2}a b \[31mcx+\n$/);
  assert.ok((lines[0] ?? '').length < 2_100);
});

test('a text is new once, and after 256 others it may be said again', () => {
  const once = new Once();
  assert.equal(once.isNew('a'), true);
  assert.equal(once.isNew('a'), false);
  for (let i = 0; i < 256; i++) once.isNew(`other ${i}`);
  assert.equal(once.isNew('a'), true);
});
