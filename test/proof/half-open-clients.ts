/**
 * Clients of each kind that then vanish: the process that runs this is parted from the server, and killed. Prints a line once all
 * are connected. Arguments: host, port, how many of each kind, kinds. For `npm run proof -- half-open`.
 */
import net from 'node:net';

/** Sent at once; the answer, where one is awaited, begins with the text. */
interface Kind {
  readonly sends: string;
  readonly answer?: string;
  /** It reads nothing of the answer. */
  readonly isDeaf?: boolean;
}

const head = (line: string, ...headers: readonly string[]): string =>
  `${[line, 'host: cairn', ...headers].join('\r\n')}\r\n\r\n`;

const KINDS: Readonly<Record<string, Kind>> = {
  silent: { sends: '' },
  'half a head': { sends: 'GET /livez HT' },
  'half a body': {
    sends: `${head('POST /api/v1/job HTTP/1.1', 'content-type: application/json', 'content-length: 500')}{"id":"half"`,
  },
  'between calls': { sends: head('GET /livez HTTP/1.1'), answer: 'HTTP/1.1 200' },
  'unread answer': { sends: head('GET /api/v1/job HTTP/1.1'), isDeaf: true },
  events: { sends: head('GET /api/v1/event HTTP/1.1', 'accept: text/event-stream'), answer: 'HTTP/1.1 200' },
  // As browsers, and the programs on Node, ask. A plain text has no byte that means nothing.
  'silent log': {
    sends: head('GET /nodes/half-open/silent.log?follow=true HTTP/1.1', 'accept-encoding: gzip'),
    answer: 'HTTP/1.1 200',
  },
  websocket: {
    sends: head(
      'GET /api/v1/heartbeat HTTP/1.1',
      'upgrade: websocket',
      'connection: Upgrade',
      'sec-websocket-version: 13',
      'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
      'sec-websocket-protocol: cairn.json',
    ),
    answer: 'HTTP/1.1 101',
  },
};

const CONNECT_MS = 60_000;

const [host = '', port = '', each = '', ...names] = process.argv.slice(2);
const timer = setTimeout(() => {
  process.stderr.write(`waited ${CONNECT_MS} ms for connections\n`);
  process.exit(1);
}, CONNECT_MS);
const opening = names.flatMap((name) => Array.from({ length: Number(each) }, () => open(name)));
const ports = await Promise.all(opening);
clearTimeout(timer);
process.stdout.write(`${JSON.stringify(ports)}\n`);

/** Resolves with the kind and the client's port. */
function open(name: string): Promise<readonly [name: string, port: number]> {
  const { sends, answer, isDeaf = false } = KINDS[name] as Kind;
  const socket = net.connect(Number(port), host);
  return new Promise((resolve, reject) => {
    // One that is cut at once is not what this is about, but no failure either.
    socket.on('error', reject);
    const ready = (): void => resolve([name, socket.localPort ?? 0]);
    socket.once('connect', () => {
      if (isDeaf) socket.pause();
      socket.write(sends);
      if (answer === undefined) ready();
    });
    if (answer === undefined) return;
    socket.once('data', (bytes) => {
      if (bytes.toString('latin1').startsWith(answer)) ready();
      else reject(new Error(`${name} was answered ${bytes.toString('latin1').slice(0, 200)}`));
    });
  });
}
