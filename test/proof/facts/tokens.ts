/** Service tokens that are made and revoked: one that was shown works, one that was revoked never again. */
import { type Api, until } from '../../support/api.ts';
import { type Facts, isTaken } from './fact.ts';

const KEPT = 4;

interface Token {
  readonly id: string;
  readonly token: string;
}

export class TokenFacts implements Facts {
  readonly name = 'service tokens';
  #valid: Token[] = [];
  #revoked: Token[] = [];
  /** Its revocation was asked for, and nobody heard how that ended. */
  #doubtful: Token | undefined;
  acknowledged = 0;

  async step(api: Api): Promise<void> {
    if (this.#doubtful) return;
    if (this.#valid.length < KEPT) {
      const body = { name: `proof ${this.acknowledged}`, role: 'viewer', ttl: '24h' };
      const answer = await api.post('/api/v1/security/serviceToken', body);
      if (!isTaken(answer, this.name)) return;
      this.#valid.push(answer.json);
    } else {
      this.#doubtful = this.#valid.shift() as Token;
      const answer = await api.delete(`/api/v1/security/serviceToken/${this.#doubtful.id}`);
      if (!isTaken(answer, this.name)) return;
      this.#revoked = [...this.#revoked.slice(-KEPT), this.#doubtful];
      this.#doubtful = undefined;
    }
    this.acknowledged++;
  }

  async audit(api: Api): Promise<string[]> {
    const faults: string[] = [];
    this.#doubtful = undefined;
    const me = async ({ token }: Token): Promise<number> =>
      (await api.get('/api/v1/security/me', { authorization: `Bearer ${token}` })).status;
    for (const token of this.#valid) {
      const status = await me(token);
      if (status !== 200) faults.push(`${this.name}: ${token.id} was made, and answers ${status}`);
    }
    for (const token of this.#revoked) {
      const ask = (): Promise<number> => me(token);
      const status = await until(ask, (got) => got === 401, `the end of ${token.id}`, 10_000).catch(ask);
      if (status !== 401) faults.push(`${this.name}: ${token.id} was revoked, and answers ${status}`);
    }
    return faults;
  }
}
