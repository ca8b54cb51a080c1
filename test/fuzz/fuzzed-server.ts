/** A server to be fuzzed: with the provider on, one of each kind of good token, and something to read. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type Answer, Api } from '../support/api.ts';
import { IDP_SETTINGS } from '../support/idp-settings.ts';
import { ServerProcess } from '../support/server-process.ts';
import { TokenIssuer } from '../support/token-issuer.ts';

export class FuzzedServer {
  /** An administrator's, another user's, a node's and a join token; `restore` puts good ones into the same array. */
  readonly tokens: string[] = [];
  readonly #server: ServerProcess;
  readonly #issuer: TokenIssuer;

  private constructor(server: ServerProcess, issuer: TokenIssuer) {
    this.#server = server;
    this.#issuer = issuer;
  }

  static async start(): Promise<FuzzedServer> {
    const issuer = await TokenIssuer.start();
    const server = await ServerProcess.start({ args: ['--shards', '2'], env: { CAIRN_IDP_ISSUER: issuer.url } });
    const fuzzed = new FuzzedServer(server, issuer);
    await fuzzed.restore();
    return fuzzed;
  }

  /**
   * What a good request of an administrator took away (the provider, his group, tokens, signing keys, nodes) is given
   * back: a server that is open to everybody refuses nothing, and so shows nothing. Whether the provider had to be.
   */
  async restore(): Promise<boolean> {
    const api = new Api(this.#server.address);
    try {
      const admin = { authorization: `Bearer ${await this.#userToken('admin')}` };
      const isWhole = (await api.get('/api/v1/config/history', admin)).status === 200;
      const { enabled } = (await api.get('/api/v1/security/idp')).json;
      if (enabled && !isWhole) await this.#disable();
      if (!enabled || !isWhole) await mustBe(api.put('/api/v1/security/idp', IDP_SETTINGS));
      const put = (method: string, path: string, body: unknown) =>
        mustBe(api.request(method, path, { body, headers: admin }));
      await put('PUT', '/api/v1/node/n1', {});
      const event = { timestamp: '2026-11-01T10:00:00Z', eventType: 'Job-Running' };
      await put('POST', '/api/v1/job', { id: 'j1', queueName: 'q', events: [event] });
      await api.request('POST', '/api/v1/nodes/n1/files/var/log/a.log?offset=0', { body: 'a line\n', headers: admin });
      const made = async (body: object): Promise<string> =>
        (await put('POST', '/api/v1/security/nodeToken', body)).json.token;
      const node = await made({ nodeId: 'n1', ttl: '1000h' });
      const join = await made({ ttl: '1000h' });
      this.tokens.splice(0, 4, await this.#userToken('admin'), await this.#userToken('staff'), node, join);
      return !enabled || !isWhole;
    } finally {
      api.close();
    }
  }

  #userToken(group: string): Promise<string> {
    return this.#issuer.token({ groups: [group], expiresIn: 86_400 });
  }

  /** As somebody does who locked himself out. */
  async #disable(): Promise<void> {
    await promisify(execFile)(process.execPath, [
      'bundle/src/main.js',
      'idp',
      'disable',
      '--data-dir',
      this.#server.folders.data,
    ]);
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

async function mustBe(asked: Promise<Answer>): Promise<Answer> {
  const answer = await asked;
  if (answer.status !== 200) throw new Error(`cannot restore the fuzzed server: ${answer.status} ${answer.text}`);
  return answer;
}
