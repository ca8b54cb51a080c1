import assert from 'node:assert/strict';
import http from 'node:http';
import { test } from 'node:test';
import type { ClientRequest } from '../../../../agent/link/client.ts';
import type { Reply } from '../../../../agent/link/outcome.ts';
import { Servers } from '../../../../agent/link/servers.ts';

const CALL: ClientRequest = { method: 'GET', path: '/', deadlineMs: 1, token: null };
const TAKEN: Reply = { kind: 'answer', status: 200, retryAfterMs: null, json: {} };
const AWAY: Reply = { kind: 'unreachable', reason: 'refused' };
const answer = (status: number, errorCode: number): Reply => ({
  kind: 'answer',
  status,
  retryAfterMs: null,
  json: { errorCode },
});

function world(urls: readonly string[]) {
  const replies = new Map<string, Reply>(urls.map((url) => [url, TAKEN]));
  const asked: string[] = [];
  const turns: string[] = [];
  const closed: string[] = [];
  const servers = new Servers(
    urls.map((url) => ({
      url,
      client: {
        agent: http.globalAgent,
        close: () => void closed.push(url),
        call: async () => {
          asked.push(url);
          return replies.get(url) as Reply;
        },
      },
    })),
    (url) => turns.push(url),
  );
  return { servers, replies, asked, turns, closed };
}

test('calls stay with one server until it does not answer, and then go on with the next', async () => {
  const { servers, replies, asked, turns } = world(['a', 'b', 'c']);
  await servers.call(CALL);
  replies.set('a', AWAY);
  assert.deepEqual(await servers.call(CALL), AWAY, 'the failed call is its caller’s to repeat');
  replies.set('b', answer(503, 3003));
  await servers.call(CALL);
  await servers.call(CALL);
  replies.set('c', AWAY);
  await servers.call(CALL);
  await servers.call(CALL);
  assert.deepEqual(asked, ['a', 'a', 'b', 'c', 'c', 'a']);
  assert.deepEqual(turns, ['b', 'c', 'a', 'b']);
});

test('what any server would answer is no reason for another one', async () => {
  const { servers, replies } = world(['a', 'b']);
  for (const reply of [answer(503, 3002), answer(404, 1004), answer(401, 2001), answer(500, 9001)]) {
    replies.set('a', reply);
    await servers.call(CALL);
    assert.equal(servers.url, 'a', JSON.stringify(reply));
  }
});

test('several calls that fail at the same server are one turn', async () => {
  const { servers, replies, turns } = world(['a', 'b', 'c']);
  replies.set('a', AWAY);
  await Promise.all([servers.call(CALL), servers.call(CALL)]);
  servers.heard(AWAY, 'a');
  assert.deepEqual(turns, ['b']);
});

test('a single server is asked again and again', async () => {
  const { servers, replies, turns } = world(['a']);
  replies.set('a', AWAY);
  await servers.call(CALL);
  await servers.call(CALL);
  assert.equal(servers.url, 'a');
  assert.deepEqual(turns, []);
});

test('closing closes all of them', () => {
  const { servers, closed } = world(['a', 'b']);
  servers.close();
  assert.deepEqual(closed, ['a', 'b']);
});
