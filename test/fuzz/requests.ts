/** Requests from a seed: every route with hostile parts, tokens of every form, and heads that are broken on purpose. */
import type { Random } from '../../src/base/random.ts';
import { ROUTES } from '../../src/gateway/api/routes.ts';
import type { Route } from '../../src/gateway/http/route.ts';
import { anyValue, bodyOf, FIELDS, flipped, objectOf, textOf } from './hostile-values.ts';
import type { RawRequest } from './raw-connection.ts';

/** A package is 38 MB: it would be most of what is sent, and nothing in it is parsed. */
const TRIED = (ROUTES as readonly Route[]).filter(({ name }) => name !== 'getAgentPackage');

const TRAVERSALS = [
  '../../../../etc/passwd',
  '..%2f..%2f..%2fetc%2fpasswd',
  '%2e%2e/%2e%2e/etc/passwd',
  '....//....//etc/passwd',
  '..\\..\\etc',
  '%252e%252e%252f',
  '/etc/passwd',
  '//etc/passwd',
  '.%00/x',
  'x%00.log',
  '%c0%ae%c0%ae/',
  'var/log/../../../config.json',
  '.',
  '',
];
const METHODS = ['GET', 'PUT', 'POST', 'DELETE', 'HEAD', 'OPTIONS', 'PATCH', 'TRACE', 'get', 'X'];
const QUERY_NAMES = [
  'start',
  'end',
  'interval',
  'agg',
  'limit',
  'cursor',
  'sort',
  'fields',
  'q',
  'state',
  'offset',
  'before',
  'queueName',
  'format',
  'tail',
];
/** What would move the server, its log, or its liveness clock out of the run's reach. */
const UNTOUCHED = /"(addr|log\.file|security\.(limits|certFile|keyFile|corsOrigins)[^"]*)"/;

export class RequestMaker {
  readonly #random: Random;
  readonly #tokens: readonly string[];

  /** `tokens`: good ones, of several kinds. */
  constructor(random: Random, tokens: readonly string[]) {
    this.#random = random;
    this.#tokens = tokens;
  }

  next(): RawRequest {
    const random = this.#random;
    const whole = this.#whole();
    // Of a broken request nobody knows whether it still asks for a head only, and so where its answer ends.
    if (random.chance(0.7) || whole.methods[0] === 'HEAD') return whole;
    return { bytes: random.chance(0.5) ? this.#badlyFramed() : this.#broken(whole.bytes), methods: [] };
  }

  #whole(): RawRequest {
    const random = this.#random;
    const route = random.pick(TRIED);
    const method = random.chance(0.9) ? route.method : random.pick(METHODS);
    const path = this.#path(route);
    const lines = [`${method} ${path} HTTP/1.1`, 'host: x', ...this.#headers()];
    const sendsBody = route.body !== undefined ? random.chance(0.95) : random.chance(0.05);
    const { bytes, headers } = sendsBody ? bodyOf(random, this.#value(route)) : { bytes: Buffer.alloc(0), headers: [] };
    if (UNTOUCHED.test(bytes.toString('latin1'))) return this.#whole();
    const head = [...lines, ...headers, ...(sendsBody ? [`content-length: ${bytes.length}`] : []), '', ''].join('\r\n');
    // A stream of events has no end that could be waited for; its head alone has one.
    const methods = route.name === 'getEvents' && method !== 'HEAD' ? [] : [method];
    return { bytes: Buffer.concat([Buffer.from(head, 'latin1'), bytes]), methods };
  }

  #path(route: Route): string {
    const random = this.#random;
    if (random.chance(0.05)) return printable(`/${random.pick(TRAVERSALS)}`);
    const filled = route.path
      .replace('{log_name}', random.pick(['cairn', 'x', '..%2fconfig']))
      .replace('{path...}', random.pick(['var/log/a.log', ...TRAVERSALS]))
      .replace(/\{\w+\}/g, () =>
        random.chance(0.5) ? random.pick(['n1', 'j1', 'x']) : encode(random, textOf(random)),
      );
    const names = Array.from({ length: random.int(3) }, () => random.pick(QUERY_NAMES));
    const query = names.map((name) => `${name}=${encode(random, textOf(random))}`).join('&');
    return printable(query === '' ? filled : `${filled}?${query}`);
  }

  #value(route: Route): unknown {
    const random = this.#random;
    if (route.name === 'putConfigKv' && random.chance(0.8)) {
      const entries = Array.from({ length: random.int(4) }, () => [random.pick(FIELDS), textOf(random)]);
      return { kvMap: Object.fromEntries(entries) };
    }
    if (random.chance(0.2)) return anyValue(random);
    const one = objectOf(random);
    return random.chance(0.3) ? [one, objectOf(random)] : one;
  }

  #headers(): string[] {
    const random = this.#random;
    const headers: string[] = [];
    // Half come from somebody: behind a refused token nothing else is reached.
    if (random.chance(0.5) && this.#tokens.length > 0)
      headers.push(`authorization: Bearer ${random.pick(this.#tokens)}`);
    else if (random.chance(0.7)) headers.push(`authorization: ${printable(this.#authorization())}`);
    const others = [
      'range: bytes=0-',
      'range: bytes=-5',
      'range: bytes=9-1',
      'range: bytes=0-1,3-4',
      'range: x=1',
      'if-none-match: *',
      'accept: text/csv',
      'accept: application/x-ndjson',
      'accept-encoding: gzip',
      'expect: 100-continue',
      'last-event-id: 5',
      'connection: close',
      'origin: null',
      'upgrade: websocket',
      `x: ${'y'.repeat(random.int(3_000))}`,
    ];
    for (let i = random.int(3); i > 0; i--) headers.push(random.pick(others));
    return headers;
  }

  /** None, key confusion, a wrong key id, cut, changed, several, a good one. */
  #authorization(): string {
    const random = this.#random;
    const good = this.#tokens.length > 0 ? random.pick(this.#tokens) : 'a.b.c';
    const [head = '', payload = '', signature = ''] = good.split('.');
    const b64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const forms = [
      good,
      `${b64({ alg: 'none' })}.${payload}.`,
      `${b64({ alg: 'HS256', kid: 'x' })}.${payload}.${signature}`,
      `${b64({ alg: 'ES256', typ: 'cairn-node+jwt' })}.${payload}.${signature}`,
      `${b64(anyValue(random))}.${payload}.${signature}`,
      `${head}.${b64(anyValue(random))}.${signature}`,
      `${head}.${payload}.${signature.slice(0, -2)}`,
      flipped(random, Buffer.from(good)).toString('latin1'),
      `${good} ${good}`,
      '',
      '.'.repeat(random.int(50)),
    ];
    return `${random.pick(['Bearer', 'bearer', 'BEARER', 'Basic', ''])} ${random.pick(forms)}`;
  }

  #broken(bytes: Buffer): Buffer {
    const random = this.#random;
    switch (random.int(4)) {
      case 0:
        return flipped(random, bytes);
      case 1:
        return bytes.subarray(0, random.int(bytes.length));
      case 2: {
        const at = random.int(bytes.length);
        const junk = random.pick(['\r\n', '\n', '\r', '\0', ' ', ':', '\r\n\r\n', 'content-length: 3\r\n', '\xff']);
        return Buffer.concat([bytes.subarray(0, at), Buffer.from(junk, 'latin1'), bytes.subarray(at)]);
      }
      default:
        return Buffer.concat([bytes, bytes, bytes]);
    }
  }

  /** Lengths and chunks that say one thing and mean another, with a request behind them that nobody may see twice. */
  #badlyFramed(): Buffer {
    const random = this.#random;
    const framings = [
      ['content-length: 4', 'transfer-encoding: chunked'],
      ['content-length: 2', 'content-length: 40'],
      ['content-length: -1'],
      ['content-length: +2'],
      ['content-length: 0x2'],
      ['content-length: 2, 2'],
      ['content-length: 99999999999999999999'],
      ['content-length: '],
      ['transfer-encoding: xchunked'],
      ['transfer-encoding: chunked, identity'],
      ['transfer-encoding : chunked'],
      ['transfer-encoding: chunked', 'transfer-encoding: x'],
      ['Transfer-Encoding:\tchunked'],
      [' content-length: 2'],
      ['content-length: 2\r\n x: y'],
    ];
    const bodies = [
      '0\r\n\r\n',
      '2\r\n[]\r\n0\r\n\r\n',
      '-1\r\n[]\r\n',
      'FFFFFFFFFFFFFFFF\r\n[]\r\n',
      '2;a=b\r\n[]\r\n0\r\n\r\n',
      '2\r\n[]XX0\r\n\r\n',
      'zz\r\n',
      '[]',
      '',
    ];
    const head = [
      'POST /api/v1/job HTTP/1.1',
      'host: x',
      'content-type: application/json',
      ...random.pick(framings),
      '',
      '',
    ];
    const next = 'GET /api/v1/smuggled HTTP/1.1\r\nhost: x\r\n\r\n';
    return Buffer.from(head.join('\r\n') + random.pick(bodies) + (random.chance(0.5) ? next : ''), 'latin1');
  }
}

function encode(random: Random, text: string): string {
  if (random.chance(0.3)) return text.replace(/[\s#?]/g, '');
  return Array.from(Buffer.from(text), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
}

/** What may stand in a line of a head, so that the request stays whole. */
function printable(text: string): string {
  return text.replace(/[^!-~ ]/g, '').replace(/^(\S*)\s+(?=\S*$)/, '$1 ');
}
