/** The parts of the dashboard that decide something: what they say is wrong on every page if it is wrong here. */
import assert from 'node:assert/strict';
import { isIPv4 as nodeIsIPv4, isIPv6 as nodeIsIPv6 } from 'node:net';
import { test } from 'node:test';
import { CONFIG_FIELDS } from '../../../../src/protocol/config/config-fields.ts';
import { readConfigText } from '../../../../src/protocol/config/config-value.ts';
import { spanText } from '../../../../src/protocol/explain/span.ts';
import { timedEvents, unsavedSecondsOf } from '../../../../src/protocol/run-segments.ts';
import { epochNsOfMs } from '../../../../src/protocol/timestamp.ts';
import { SETTINGS_GROUPS, SETTINGS_TABS } from '../../../../web/src/address/settings-tabs.ts';
import { SseParser } from '../../../../web/src/api/sse.ts';
import { isIPv4, isIPv6 } from '../../../../web/src/browser/net.ts';
import { timelineOf } from '../../../../web/src/pages/jobs/timeline/timeline.ts';
import { queueTotals, totalOf } from '../../../../web/src/pages/overview/totals.ts';
import { inHours } from '../../../../web/src/pages/settings/access/token-time.ts';
import { addressInBrowser } from '../../../../web/src/pages/settings/form/address-in-browser.ts';
import { effectsOf, lossesOf, valueText } from '../../../../web/src/pages/settings/form/value-text.ts';
import {
  actionText,
  changeText,
  detailParts,
  hasWords,
  targetText,
} from '../../../../web/src/pages/settings/records/audit-text.ts';
import {
  centsText,
  columnPriceText,
  decimalText,
  eventText,
  percentText,
  priceText,
  tenthsText,
  unitText,
  wordsOf,
} from '../../../../web/src/parts/format.ts';

const event = (eventType: string, second: number, nodeOid?: string) => ({
  eventType,
  timestamp: new Date(second * 1000).toISOString(),
  ...(nodeOid === undefined ? {} : { nodeOid }),
});

test('server-sent events are read whole, however the stream is cut', () => {
  const text = ': hello\nid: 7\n\nevent: node.lost\nid: 8\ndata: {"node":"a"}\n\n';
  for (let cut = 0; cut <= text.length; cut++) {
    const parser = new SseParser();
    const events = [...parser.take(text.slice(0, cut)), ...parser.take(text.slice(cut))];
    assert.deepEqual(events, [
      { name: '', id: '7', data: '' },
      { name: 'node.lost', id: '8', data: '{"node":"a"}' },
    ]);
  }
});

test('data of several lines is joined by line feeds, whichever line ends the stream has', () => {
  const lines = [
    ': hello',
    '',
    'data: a',
    'data:b',
    'data',
    'data:  c',
    'event:x',
    'id:9',
    'retry: 5',
    '',
    'id: 10',
    '',
  ];
  for (const end of ['\n', '\r\n', '\r']) {
    const text = `\ufeff${lines.join(end)}${end}`;
    for (let cut = 0; cut <= text.length; cut++) {
      const parser = new SseParser();
      const events = [...parser.take(text.slice(0, cut)), ...parser.take(text.slice(cut)), ...parser.take(':\n')];
      assert.deepEqual(events, [
        { name: 'x', id: '9', data: 'a\nb\n\n c' },
        { name: '', id: '10', data: '' },
      ]);
    }
  }
});

test('an event that is longer than any of the server is dropped, and the next one is read', () => {
  const parser = new SseParser();
  const part = `data: ${'x'.repeat(300_000)}\n`;
  const events = ['event: long\nid: 7\n', part, part, part, part, '\n'].flatMap((text) => parser.take(text));
  assert.deepEqual(events, []);
  assert.deepEqual(parser.take('event: a\nid: 8\ndata: 1\n\n'), [{ name: 'a', id: '8', data: '1' }]);
});

test('unsaved is the run time since the last good checkpoint began, or since a restore that came later', () => {
  const run = [event('Job-Creating', 0, 'a'), event('Job-Running', 10)];
  assert.equal(unsavedSecondsOf(timedEvents(run), epochNsOfMs(100_000)), 90);
  const saved = [...run, event('Job-Checkpointing', 40), event('Job-CheckpointSucceeded', 50)];
  assert.equal(
    unsavedSecondsOf(timedEvents(saved), epochNsOfMs(100_000)),
    60,
    'what ran during the checkpoint is not in it',
  );
  const restored = [...saved, event('Job-Restoring', 70, 'b'), event('Job-RestoreSucceeded', 90)];
  assert.equal(
    unsavedSecondsOf(timedEvents(restored), epochNsOfMs(100_000)),
    10,
    'what ran before the restore was lost at that',
  );
  const again = [...restored, event('Job-Checkpointing', 94), event('Job-CheckpointSucceeded', 96)];
  assert.equal(unsavedSecondsOf(timedEvents(again), epochNsOfMs(100_000)), 6, 'saved since');
});

test('unsaved work is of one run: what a run that is over left is neither lost nor saved again', () => {
  const at = (events: ReturnType<typeof event>[]): number =>
    unsavedSecondsOf(timedEvents(events), epochNsOfMs(100_000));
  const saved = [event('Job-Creating', 0, 'a'), event('Job-Running', 10), event('Job-Checkpointing', 40)];
  const first = [...saved, event('Job-CheckpointSucceeded', 50)];
  for (const end of ['Job-Failed', 'Job-Succeeded'])
    assert.equal(at([...first, event(end, 60), event('Job-Creating', 70, 'b'), event('Job-Running', 80)]), 20, end);
  assert.equal(at([...first, event('Job-Stopped', 60), event('Job-Creating', 70), event('Job-Running', 80)]), 20 + 20);
  assert.equal(at([...saved, event('Job-Failed', 60), event('Job-CheckpointSucceeded', 65)]), 20, 'told late');
});

test('a timeline has a lane for each node, joins stretches of one phase, and goes on until now unless the job ended', () => {
  const events = [
    event('Job-Creating', 0, 'a'),
    event('Job-Created', 5),
    event('Job-Running', 10),
    event('Job-Restoring', 30, 'b'),
    event('Job-RestoreSucceeded', 35),
  ];
  assert.deepEqual(timelineOf(events, 60_000), {
    startMs: 0,
    endMs: 60_000,
    lanes: [
      {
        nodeOid: 'a',
        spans: [
          { phase: 'starting', startMs: 0, endMs: 10_000 },
          { phase: 'running', startMs: 10_000, endMs: 30_000 },
        ],
      },
      {
        nodeOid: 'b',
        spans: [
          { phase: 'restoring', startMs: 30_000, endMs: 35_000 },
          { phase: 'running', startMs: 35_000, endMs: 60_000 },
        ],
      },
    ],
  });
  assert.equal(timelineOf([...events, event('Job-Succeeded', 50)], 60_000)?.endMs, 50_000);
  assert.equal(timelineOf([], 0), undefined);
  // On a node that is gone since the 40th second nothing runs.
  assert.deepEqual(timelineOf(events, 60_000, 40_000)?.lanes[1]?.spans, [
    { phase: 'restoring', startMs: 30_000, endMs: 35_000 },
    { phase: 'running', startMs: 35_000, endMs: 40_000 },
    { phase: 'gone', startMs: 40_000, endMs: 60_000 },
  ]);
  // What a checkpoint came to is heard of late: the job does not run again.
  const late = [...events, event('Job-Succeeded', 50), event('Job-CheckpointSucceeded', 55)];
  assert.deepEqual(timelineOf(late, 60_000), timelineOf(late.slice(0, -1), 60_000));
});

test('the browser’s reading of addresses is the server’s', () => {
  const hosts = [
    '127.0.0.1',
    '0.0.0.0',
    '256.1.1.1',
    '1.2.3',
    '01.2.3.4',
    '1.2.3.4.5',
    '',
    '::',
    '::1',
    'fe80::1:2',
    '1::2::3',
    ':',
    '12345::',
    '::ffff:1.2.3.4',
    'host',
    'a:b',
  ];
  for (const host of hosts) {
    assert.equal(isIPv4(host), nodeIsIPv4(host), `IPv4 ${host}`);
    assert.equal(isIPv6(host), nodeIsIPv6(host), `IPv6 ${host}`);
  }
});

test('a browser goes to the address itself, or to the host it knows where the server listens everywhere', () => {
  assert.equal(addressInBrowser('https://0.0.0.0:8443', 'cairn.example'), 'https://cairn.example:8443');
  assert.equal(addressInBrowser('http://[::]:80', '10.0.0.1'), 'http://10.0.0.1:80');
  assert.equal(addressInBrowser('http://10.0.0.2:8080', 'localhost'), 'http://10.0.0.2:8080');
  assert.equal(addressInBrowser('https://[::1]:443', 'localhost'), 'https://[::1]:443');
});

test('the text of every default is read back as the same value', () => {
  for (const field of CONFIG_FIELDS.filter(({ default: value }) => value !== null && !String(value).startsWith('<'))) {
    const read = readConfigText(field, valueText(field.default));
    assert.deepEqual(read.ok ? read.value : read.reason, field.default, field.path);
  }
});

test('a change of the settings of checkpoints says when it takes effect', () => {
  const effects = (mode: string, ...paths: string[]) => effectsOf(new Map([['ckpt.ckptMode', mode]]), paths);
  const idle = 'Checkpoint interval has no effect while Checkpoint mode is not set.';
  const times = new Map([
    ['node.ttl', '2m0s'],
    ['security.webhooks.privateTargets', 'x'],
  ]);
  assert.deepEqual(effectsOf(times, ['node.ttl', 'security.webhooks.privateTargets']), [
    'A node that is silent for 2m counts as lost, and its jobs as stranded: other nodes may restore them.',
  ]);
  const live = 'Jobs take it with the next heartbeat of their node, including those that already run.';
  assert.deepEqual(effects('unknown', 'ckpt.ckptInterval'), [idle]);
  assert.deepEqual(effects('unknown', 'ckpt.ckptInterval', 'ckpt.tcpClose'), [idle, live]);
  assert.deepEqual(effects('iterative', 'ckpt.ckptMode', 'ckpt.ckptInterval'), [live]);
  assert.deepEqual(effects('unknown', 'node.maxPerLogSizeMB'), []);
});

test('a change that removes what is kept says so before it is made, and one that keeps more does not', () => {
  const losses = (path: string, before: string | number, after: string | number) =>
    lossesOf(new Map([[path, before]]), new Map([[path, after]]), [path]);
  const [removed = ''] = losses('job.successTTL', '72h0m0s', '1h0m0s');
  assert.match(
    removed,
    /succeeded jobs that ended longer ago are removed at the next check\. They cannot be brought back\.$/,
  );
  assert.deepEqual(losses('job.successTTL', '72h0m0s', '96h0m0s'), []);
  assert.equal(losses('node.maxPerLogSizeMB', 2, 1).length, 1);
  assert.deepEqual(losses('node.maxPerLogSizeMB', 2, 4), []);
  assert.deepEqual(losses('node.ttl', '5m0s', '2m0s'), []);
  assert.match(losses('ckpt.ckptMode', 'iterative', 'unknown').join(), /^Jobs are no longer saved by themselves/);
  assert.deepEqual(losses('ckpt.ckptMode', 'unknown', 'iterative'), []);
});

test('figures carry their units and no more digits than they need', () => {
  assert.deepEqual([0, 45, 60, 725, 12_000, 86_460, 172_799, 172_800, 352_800].map(spanText), [
    '0 s',
    '45 s',
    '1 m',
    '12 m 5 s',
    '3 h 20 m',
    '24 h 1 m',
    '47 h 59 m',
    '2 d',
    '4 d 2 h',
  ]);
  assert.deepEqual(
    [unitText(7200, 'core-seconds'), unitText(0.004, 'USD'), unitText(1.5, 'seconds')],
    ['2 core-h', '$0.0040', '1.5 s'],
  );
  assert.deepEqual([percentText(0, 0), percentText(1, 3), percentText(97, 100)], ['–', '33.3 %', '97.0 %']);
  const extremes = [percentText(0, 3), percentText(1, 9_999), percentText(9_998, 9_999), percentText(3, 3)];
  assert.deepEqual(extremes, ['0 %', '0.1 %', '99.9 %', '100 %']);
  assert.equal(decimalText(1234.567), '1,235');
  assert.equal(wordsOf('CheckpointSucceeded'), 'Checkpoint succeeded');
  assert.deepEqual(['Job-RestoreFailed', 'Volume-Unready', 'Volume-RestoreUnready'].map(eventText), [
    'Restore failed',
    'Volume not ready',
    'Restore volume not ready',
  ]);
});

test('the figures of a column have as many decimals, and what is less than they tell is no 0', () => {
  assert.deepEqual([17.6, 12.67, 0.02, 0, 1234.5].map(tenthsText), ['17.6', '12.7', '< 0.1', '0.0', '1,234.5']);
  assert.deepEqual([0.5, 0.00019, 0, 1.239].map(centsText), ['$0.50', '< $0.01', '$0.00', '$1.24']);
});

test('sums are over queues, of one definition', () => {
  const item = (queueName: string, value: number) => ({
    id: `metricDef-jobCost.queue-${queueName}`,
    point: { time: '2026-01-01T00:00:00Z', value },
    metaData: { queueName },
  });
  const summary = { items: { 'metricDef-jobCost': [item('b', 2), item('a', 1)], jobSubmitted: [item('a', 9)] } };
  assert.equal(totalOf(summary, 'jobCost'), 3);
  assert.equal(totalOf(summary, 'absent'), 0);
  assert.deepEqual(
    queueTotals(summary).map(({ queue, values }) => [queue, values.get('jobCost')]),
    [
      ['a', 1],
      ['b', 2],
    ],
  );
});

test('the audit log calls a service token by its name, and says nothing of what is null or stands in the detail', () => {
  const made = {
    action: 'serviceToken.made',
    target: 'service token 9b67b3400b9d395f',
    detail: { name: 'prometheus', role: 'viewer', queues: null },
  };
  assert.equal(actionText(made), 'Service token made');
  const join = { action: 'nodeToken.made', target: 'join', detail: {} };
  assert.deepEqual([actionText(join), targetText(join)], ['Join token made', 'For any new node']);
  assert.equal(actionText({ ...join, target: 'node n1' }), 'Node token made');
  assert.equal(targetText(made), 'prometheus');
  assert.equal(targetText({ action: 'webhook.set', target: 'webhook on-call', detail: {} }), 'on-call');
  assert.deepEqual(detailParts(made.detail), ['role: viewer']);
  assert.deepEqual(detailParts({ role: 'operator', queues: ['day', 'night'] }), [
    'role: operator',
    'queues: day night',
  ]);
  // As it is recorded.
  assert.deepEqual(detailParts({ types: 'node.lost job.event' }), ['events: Node lost, Job event']);
  const changes = { 'node.ttl': { old: '4s', new: '5m0s' } };
  assert.equal(targetText({ action: 'config.changed', target: 'node.ttl', detail: { changes, version: 7 } }), '');
  assert.equal(targetText({ action: 'config.changed', target: 'node.ttl', detail: { version: 7 } }), 'Lost after');
  assert.equal(actionText({ action: 'idp.enabled', target: '' }), 'Identity provider enabled');
  // A webhook by what became of it, and by the names of its form.
  const set = { action: 'webhook.set', target: 'webhook on-call' };
  assert.equal(actionText({ ...set, detail: { change: 'resumed' } }), 'Webhook resumed');
  assert.equal(actionText({ ...set, detail: {} }), 'Webhook set');
  const changed = { change: 'changed', changes: { types: { old: 'node.lost', new: 'job.event' } }, secret: 'another' };
  assert.equal(targetText({ ...set, detail: changed }), 'on-call');
  assert.deepEqual(changeText('types', changed.changes.types), ['Events', 'Node lost', 'Job event']);
  assert.deepEqual(changeText('queue', { old: '', new: 'night' }), ['Queue', '–', 'night']);
  assert.deepEqual(changeText('node.ttl', changes['node.ttl']), ['Lost after', '4s', '5m']);
});

test('the audit log is searched by person, address, action and setting, as shown or as recorded', () => {
  const changes = { 'node.ttl': { old: '4s', new: '5m0s' } };
  const record = {
    who: 'anna@example.org',
    from: '10.0.0.7',
    action: 'config.changed',
    target: 'node.ttl',
    detail: { changes },
  };
  for (const words of [
    '',
    'Anna',
    '10.0.0.7',
    'settings changed',
    'config.changed',
    'lost after',
    'node.ttl anna',
    '01-31 12:3',
  ])
    assert.equal(hasWords(record, words, '2026-01-31 12:34:56 UTC'), true, words);
  assert.equal(hasWords(record, 'anna heartbeat', ''), false);
});

test('the time of a token may be told in days, which the server does not know', () => {
  assert.deepEqual(['30d', ' 1d ', '12h', 'soon', '1.5d'].map(inHours), ['720h', '24h', '12h', 'soon', '1.5d']);
});

test('the menu of the settings leads to each of their pages, once', () => {
  assert.deepEqual(SETTINGS_GROUPS.flatMap(({ tabs }) => tabs).toSorted(), [...SETTINGS_TABS].toSorted());
});

test('a price of an hour is told exactly enough for a time to be multiplied by it', () => {
  assert.deepEqual([0.0945, 0.09, 0.0004, 1.234, 0].map(priceText), ['$0.0945', '$0.09', '$0.0004', '$1.23', '$0.00']);
  const inColumn = (...prices: number[]): string[] => prices.map((price) => columnPriceText(price, prices));
  assert.deepEqual(inColumn(0.06, 0.2868, 1.83), ['$0.0600', '$0.2868', '$1.8300']);
  assert.deepEqual(inColumn(0.29, 1.1), ['$0.29', '$1.10']);
});
