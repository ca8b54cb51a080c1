/** One request to the server under test, from the bench's own process: for settings and for checks, never for figures. */
import http from 'node:http';
import https from 'node:https';
import type { UnderTest } from './peer-process.ts';

/** The parsed answer; throws on any status but 200. */
export function ask(server: UnderTest, method: string, path: string, body?: object): Promise<unknown> {
  const { host, port, secure } = server;
  const headers = { 'content-type': 'application/json' };
  const options = { host, port, path, method, headers, agent: false as const, rejectUnauthorized: false };
  return new Promise((resolve, reject) => {
    const request = (secure ? https : http).request(options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        if (response.statusCode === 200) resolve(JSON.parse(text));
        else reject(new Error(`${method} ${path} answered ${response.statusCode}: ${text.slice(0, 200)}`));
      });
    });
    request.on('error', reject);
    request.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

export function setConfig(server: UnderTest, kvMap: Readonly<Record<string, string>>): Promise<unknown> {
  return ask(server, 'PUT', '/api/v1/configKV', { kvMap });
}

/** How many nodes the server lists in a state. */
export async function countNodes(server: UnderTest, state: 'running' | 'lost'): Promise<number> {
  const nodes = await ask(server, 'GET', `/api/v1/node${state === 'lost' ? '?state=lost' : ''}`);
  return (nodes as readonly unknown[]).length;
}
