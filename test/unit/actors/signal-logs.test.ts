/** What the server log says of nodes and jobs: how loud, and in whose words. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { logJobSignal } from '../../../src/actors/job/signal-log.ts';
import { logSignal } from '../../../src/actors/node/signal-log.ts';
import type { Logger } from '../../../src/base/log.ts';

function lines(tell: (log: Logger) => void): string[] {
  const said: string[] = [];
  const at =
    (level: string) =>
    ({ volume, detail }: { readonly volume?: string; readonly detail?: string }, text: string): void =>
      void said.push(`${level} ${text}${volume ? ` (${volume})` : ''}${detail ? `: ${detail}` : ''}`);
  tell({ debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') } as unknown as Logger);
  return said;
}

test('a silence is told by its time, not by the name of a setting', () => {
  const told = (type: string, ttl: string): string[] =>
    lines((log) => logSignal(log, { type, node: 'n' } as never, ttl));
  assert.deepEqual(told('node.lost', '5m0s'), ['warn node lost: no heartbeat for more than 5m']);
  assert.deepEqual(told('node.lost', '1h0m0s'), ['warn node lost: no heartbeat for more than 1h']);
  assert.deepEqual(told('node.held', '1m30s'), ['debug node silent for 1m30s: the verdict is suspended']);
  assert.deepEqual(told('node.alive', '5m0s'), ['info node is alive again']);
});

test('a drain and its undoing are told apart', () => {
  const told = (drained: boolean): string[] =>
    lines((log) => logSignal(log, { type: 'node.drained', node: 'n', drained } as never, '5m0s'));
  assert.deepEqual([told(true), told(false)], [['info node drain started'], ['info node drain undone']]);
});

test('what went wrong with a job is a warning, which says why', () => {
  const told = (eventType: string, detail?: string, volumnId?: string): string[] => {
    const event = { eventType, timestamp: '2026-01-31T12:00:00Z', detail, volumnId };
    return lines((log) =>
      logJobSignal(log, { type: 'job.event', job: 'j', queue: 'q', nodeOid: null, event } as never),
    );
  };
  assert.deepEqual(told('Job-Failed'), ['warn job failed']);
  assert.deepEqual(told('Job-Failed', 'exit 137'), ['warn job failed: exit 137']);
  assert.deepEqual(told('Job-RestoreFailed'), ['warn a restore of the job failed']);
  const unready = told('Volume-Unready', undefined, 'vol-7');
  assert.deepEqual(unready, ['warn a volume of the job is not ready (vol-7)']);
  assert.deepEqual(told('Job-Succeeded'), ['info job succeeded']);
  assert.deepEqual(told('Job-Checkpointing'), ['debug job event']);
});
