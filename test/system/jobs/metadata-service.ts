/** A fake metadata service of the three clouds: a test says what it tells. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';

export class MetadataService {
  /** Path → body of a 200; any other path is 404. */
  readonly texts = new Map<string, string>();
  /** Paths that were asked for, in order. */
  readonly asked: string[] = [];
  readonly #server: http.Server;

  private constructor(server: http.Server) {
    this.#server = server;
  }

  static async start(): Promise<MetadataService> {
    const server = http.createServer((request, response) => {
      service.asked.push((request.url ?? '').split('?')[0] as string);
      const text = request.method === 'PUT' ? 'token' : service.texts.get((request.url ?? '').split('?')[0] as string);
      response.statusCode = text === undefined ? 404 : 200;
      response.end(text ?? '');
    });
    const service = new MetadataService(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return service;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.close();
  }
}
