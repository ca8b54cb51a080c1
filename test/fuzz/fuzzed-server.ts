/** A server to be fuzzed: with the provider on, one of each kind of good token, and something to read. */
import { Api } from '../support/api.ts';
import { IDP_SETTINGS } from '../support/idp-settings.ts';
import { ServerProcess } from '../support/server-process.ts';
import { TokenIssuer } from '../support/token-issuer.ts';

export class FuzzedServer {
  readonly tokens: readonly string[];
  readonly #server: ServerProcess;
  readonly #issuer: TokenIssuer;

  private constructor(server: ServerProcess, issuer: TokenIssuer, tokens: readonly string[]) {
    this.#server = server;
    this.#issuer = issuer;
    this.tokens = tokens;
  }

  static async start(): Promise<FuzzedServer> {
    const issuer = await TokenIssuer.start();
    const server = await ServerProcess.start({ env: { CAIRN_IDP_ISSUER: issuer.url } });
    const api = new Api(server.address);
    await api.put('/api/v1/node/n1', {});
    await api.post('/api/v1/nodes/n1/files/var/log/a.log?offset=0', 'a line\n');
    const event = { timestamp: '2026-11-01T10:00:00Z', eventType: 'Job-Running' };
    await api.post('/api/v1/job', { id: 'j1', queueName: 'q', events: [event] });
    const made = async (body: object): Promise<string> =>
      (await api.post('/api/v1/security/nodeToken', body)).json.token;
    const tokens = [
      await issuer.token({ groups: ['admin'], expiresIn: 86_400 }),
      await issuer.token({ groups: ['staff'], expiresIn: 86_400 }),
      await made({ nodeId: 'n1', ttl: '1000h' }),
      await made({ ttl: '1000h' }),
    ];
    await api.put('/api/v1/security/idp', IDP_SETTINGS);
    api.close();
    return new FuzzedServer(server, issuer, tokens);
  }

  get port(): number {
    return Number(new URL(this.#server.address).port);
  }

  get pid(): number {
    return this.#server.pid;
  }

  /** Lines of the server log that tell of a fault of ours. */
  async bugs(): Promise<string[]> {
    return (await this.#server.logText()).split('\n').filter((line) => line.includes('"kind":"bug"'));
  }

  async isAlive(): Promise<boolean> {
    const api = new Api(this.#server.address);
    const { status } = await api.get('/livez').catch(() => ({ status: 0 }));
    api.close();
    return status === 200;
  }

  async dispose(): Promise<void> {
    await this.#server.dispose();
    await this.#issuer.stop();
  }
}
