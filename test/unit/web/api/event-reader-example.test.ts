/** The reader that docs/reference/events.md gives to those who need a token does what the page says: it is run as it stands there. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { createParser } from 'eventsource-parser';

type Follow = (
  url: string,
  token: () => Promise<string>,
  onEvent: (name: string, data: unknown) => void,
  signal: AbortSignal,
  retryMs: number,
) => Promise<void>;

function exampleReader(): Follow {
  const page = readFileSync('docs/reference/events.md', 'utf8');
  const code = /```js\nimport \{ createParser \} from 'eventsource-parser';\n(.*?)```/s.exec(page)?.[1] ?? '';
  return new Function('createParser', `${code.replace('export async', 'return async')}`)(createParser) as Follow;
}

test('the example sends its token, is told of every event, and resumes behind the last one', async (t) => {
  const asked: string[] = [];
  const server = http.createServer(({ headers }, response) => {
    asked.push(`${headers.authorization} ${headers['last-event-id'] ?? '-'}`);
    if (asked.length === 1) {
      response.writeHead(401).end('{}');
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    // The connection breaks in the middle of an event: it is told once, by the next connection.
    if (asked.length === 2) {
      const lost = '{"node":"ä"}';
      const part = `: open\nid: 3\n\nevent: node.lost\nid: 4\ndata: ${lost}\n\nevent: node.lost\nid: 5\ndata: {"n`;
      response.write(part, () => response.destroy());
    } else response.write('event: node.lost\nid: 5\ndata: {"node":"b"}\n\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  t.mock.method(console, 'warn', () => {});
  const told: string[] = [];
  const controller = new AbortController();
  let token = 0;
  await exampleReader()(
    `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1/event`,
    async () => `token-${++token}`,
    (name, data) => {
      told.push(`${name} ${JSON.stringify(data)}`);
      if (told.length === 2) controller.abort();
    },
    controller.signal,
    0,
  );
  assert.deepEqual(told, ['node.lost {"node":"ä"}', 'node.lost {"node":"b"}']);
  assert.deepEqual(asked, ['bearer token-1 -', 'bearer token-2 -', 'bearer token-3 4']);
});
