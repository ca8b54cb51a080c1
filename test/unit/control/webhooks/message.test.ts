import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bodyOf } from '../../../../src/control/webhooks/message.ts';

const slackOf = (type: string, data: object): string =>
  JSON.parse(bodyOf({ id: '1', type, timeMs: 0, json: JSON.stringify(data) }, 'slack')).text;

test('a Slack message says what happened, in one line', () => {
  const event = { timestamp: '2026-01-31T08:00:00Z', eventType: 'Job-Failed', detail: 'exit 7 <&>' };
  assert.equal(
    slackOf('job.event', { job: 'j1', queue: 'q', nodeOid: 'i-1', event }),
    '*job.event* Job-Failed · job j1 · queue q · nodeOid i-1 · exit 7 &lt;&amp;&gt;',
  );
  assert.equal(slackOf('config.changed', { keys: ['node.ttl', 'addr'] }), '*config.changed* node.ttl, addr');
  assert.equal(slackOf('node.lost', { node: 'n1' }), '*node.lost* node n1');
});

test('a drain and its undoing, and what a cloud is about to do, are told apart', () => {
  assert.equal(slackOf('node.drained', { node: 'n1', drained: true }), '*node.drained* node n1');
  assert.equal(slackOf('node.drained', { node: 'n1', drained: false }), '*node.drained* drain undone · node n1');
  const interruption = { action: 'terminate', time: '2026-01-31T08:02:00Z' };
  assert.equal(
    slackOf('node.interruption', { node: 'n1', interruption }),
    '*node.interruption* terminate at 2026-01-31T08:02:00Z · node n1',
  );
});
