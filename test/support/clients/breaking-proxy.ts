/** Stands between a client and a server, and breaks connections when a test wants it. */
import http from 'node:http';
import net from 'node:net';

export interface BreakingProxy {
  readonly address: string;
  /** Ends every connection that is open now. */
  breakAll(): void;
  close(): void;
}

export async function breakingProxy(port: number): Promise<BreakingProxy> {
  const sockets = new Set<net.Socket>();
  const listener = net.createServer((near) => {
    const far = net.connect(port, '127.0.0.1');
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.destroy()).on('close', () => other.destroy());
      one.pipe(other);
    }
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const breakAll = (): void => {
    // Not `resetAndDestroy`: with a shutdown pending on the socket, Node 20 then spins for ever when the process ends.
    for (const socket of sockets) socket.destroy();
  };
  return {
    address: `http://127.0.0.1:${(listener.address() as net.AddressInfo).port}`,
    breakAll,
    close: () => {
      breakAll();
      listener.close();
    },
  };
}

export interface CuttingRelay {
  readonly address: string;
  /** Answers that were cut in two. */
  readonly cut: number;
  close(): void;
}

/** Passes requests on, and breaks every third answer off in its middle. */
export async function cuttingRelay(target: string): Promise<CuttingRelay> {
  let count = 0;
  let cut = 0;
  const relay = http.createServer((request, response) => {
    count += 1;
    const isCut = count % 3 === 2;
    const { 'accept-encoding': _, ...headers } = request.headers;
    const asked = http.request(target + request.url, { method: request.method, headers }, async (answer) => {
      const bytes = Buffer.concat(await answer.toArray());
      const { link } = answer.headers;
      response.writeHead(answer.statusCode as number, {
        'content-type': answer.headers['content-type'],
        'content-length': bytes.byteLength,
        ...(link === undefined ? {} : { link }),
      });
      if (!isCut) response.end(bytes);
      else {
        cut += 1;
        response.write(bytes.subarray(0, bytes.byteLength / 2), () => response.destroy());
      }
    });
    asked.on('error', () => response.destroy());
    asked.end();
  });
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
  return {
    address: `http://127.0.0.1:${(relay.address() as net.AddressInfo).port}`,
    get cut() {
      return cut;
    },
    close: () => {
      relay.close();
      relay.closeAllConnections();
    },
  };
}
