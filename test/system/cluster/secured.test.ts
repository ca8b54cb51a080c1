/** Servers that speak https, with an identity provider: what one of them knows of callers, all of them do. And one that had data. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { type Answer, Api, type RequestOptions, until } from '../../support/api.ts';
import { enginesAbsent } from '../../support/cluster/engines.ts';
import { type Member, ServerCluster } from '../../support/cluster/server-cluster.ts';
import { IDP_SETTINGS } from '../../support/idp-settings.ts';
import { ServerProcess } from '../../support/server-process.ts';
import { TokenIssuer } from '../../support/token-issuer.ts';

const absent = enginesAbsent();
const SERVICE_TOKENS = '/api/v1/security/serviceToken';

describe('servers of a cluster over https', { skip: absent ?? false, timeout: 400_000 }, () => {
  let issuer: TokenIssuer;
  let cluster: ServerCluster;
  let leader: Member;
  let follower: Member;
  let admin: Record<string, string>;

  before(async () => {
    issuer = await TokenIssuer.start();
    cluster = await ServerCluster.start('secured', {
      addr: 'https://127.0.0.1:0',
      env: { CAIRN_IDP_ISSUER: issuer.url },
    });
    leader = await cluster.leader();
    [follower] = (await cluster.followers()) as [Member];
    admin = bearer(await issuer.token({ groups: ['admin'] }));
  });

  after(async () => {
    await cluster?.stop();
    await issuer?.stop();
  });

  function make(member: Member, body: object): Promise<Answer> {
    return ask(member, 'POST', SERVICE_TOKENS, { body: { name: 'ci', ttl: '1h', ...body }, headers: admin });
  }

  it('turn the identity provider on for all of them, at any of them', async () => {
    const answer = await ask(follower, 'PUT', '/api/v1/security/idp', { body: IDP_SETTINGS });
    assert.equal(answer.status, 200, answer.text);
    for (const { api } of cluster.members)
      await until(
        () => api.get('/api/v1/node').catch(() => null),
        (seen) => seen?.status === 401,
        'a server to want a token',
      );
  });

  it('pass on who calls, and refuse who may not', async () => {
    const put = (headers: Record<string, string>): Promise<Answer> =>
      ask(follower, 'PUT', '/api/v1/node/n', { body: { hostName: 'h' }, headers });
    const [nobody, stranger] = [await put({}), await put(bearer(await issuer.token({ groups: ['others'] })))];
    assert.deepEqual([nobody.status, stranger.status], [401, 403]);
    const answer = await put(admin);
    assert.equal(answer.status, 200, answer.text);
    const { json } = await ask(leader, 'GET', '/api/v1/node/n?consistent=true', { headers: admin });
    assert.equal(json.hostName, 'h');
  });

  it('take a token at once that another one has just made', async () => {
    for (let i = 0; i < 5; i++) {
      const { json, status, text } = await make(leader, { role: 'viewer' });
      assert.equal(status, 200, text);
      // A token that is not known here is looked for before it is refused.
      const seen = await ask(follower, 'GET', '/api/v1/node/n?consistent=true', { headers: bearer(json.token) });
      assert.equal(seen.status, 200, seen.text);
    }
  });

  it('take a token no more that another one has ended', async () => {
    const { json } = await make(follower, { role: 'viewer' });
    // Each of them has seen it, and keeps what it has seen.
    for (const member of cluster.members)
      assert.equal((await ask(member, 'GET', '/api/v1/node/n', { headers: bearer(json.token) })).status, 200);
    const ended = await ask(leader, 'DELETE', `${SERVICE_TOKENS}/${json.id}`, { headers: admin });
    assert.equal(ended.status, 200, ended.text);
    for (const { api } of cluster.members)
      await until(
        () => api.get('/api/v1/node/n', bearer(json.token)).catch(() => null),
        (seen) => seen?.status === 401,
        'a server to refuse the token',
      );
  });

  it('answer with tags of their own, for what each of them counts for itself', async () => {
    const tags = await Promise.all(
      [leader, follower].map(
        async (member) => (await ask(member, 'GET', '/api/v1/job?consistent=true', { headers: admin })).headers.etag,
      ),
    );
    assert.ok(tags[0]);
    assert.notEqual(tags[0], tags[1]);
    const headers = { ...admin, 'if-none-match': tags[0] as string };
    assert.equal((await ask(leader, 'GET', '/api/v1/job?consistent=true', { headers })).status, 304);
    assert.equal((await ask(follower, 'GET', '/api/v1/job?consistent=true', { headers })).status, 200);
  });

  it('keep a copy of what a server had that joins them, and give it what they have', async () => {
    const alone = await ServerProcess.start({ args: ['--shards', '1'] });
    const own = new Api(alone.address);
    const { status, text } = await own.put('/api/v1/node/of-its-own', { hostName: 'h' });
    assert.equal(status, 200, text);
    const sent = await own.post('/api/v1/nodes/of-its-own/files/var/log/own.log?offset=0', 'of its own\n', {
      'content-type': 'application/octet-stream',
    });
    assert.equal(sent.status, 200, sent.text);
    own.close();
    await alone.kill('SIGTERM');
    const joined = await cluster.join(alone.folders);
    await until(
      () => joined.api.get('/readyz').catch(() => null),
      (seen) => seen?.status === 200,
      'the server to follow',
    );
    const nodes = await ask(joined, 'GET', '/api/v1/node?state=all&consistent=true', { headers: admin });
    assert.deepEqual(
      (nodes.json as { id: string }[]).map(({ id }) => id),
      ['n'],
    );
    assert.equal((await ask(joined, 'GET', '/nodes/of-its-own/var/log/own.log', { headers: admin })).status, 404);
    assert.equal(readdirSync(alone.folders.data).filter((name) => name.startsWith('replaced-')).length, 1);
    assert.equal(readdirSync(alone.folders.log).filter((name) => name.startsWith('nodes-replaced-')).length, 1);
  });

  it('take a server that has worked alone meanwhile for another one', async () => {
    const joined = cluster.members.at(-1) as Member;
    await joined.server.kill('SIGTERM');
    joined.api.close();
    const alone = await ServerProcess.start({ folders: joined.folders, env: { CAIRN_IDP_ISSUER: issuer.url } });
    const own = new Api(alone.address);
    const body = { hostName: 'h' };
    const { status, text } = await own.request('PUT', '/api/v1/node/while-alone', { body, headers: admin });
    assert.equal(status, 200, text);
    own.close();
    await alone.kill('SIGTERM');
    await cluster.restart(joined);
    await cluster.leader();
    const nodes = await ask(joined, 'GET', '/api/v1/node?state=all&consistent=true', { headers: admin });
    assert.deepEqual(
      (nodes.json as { id: string }[]).map(({ id }) => id),
      ['n'],
    );
    assert.equal(readdirSync(joined.folders.data).filter((name) => name.startsWith('replaced-')).length, 2);
  });
});

/** Repeated where nobody leads at the moment, or the server exchanges its parts: on a busy machine that may come at any time. */
async function ask({ api }: Member, method: string, path: string, options: RequestOptions): Promise<Answer> {
  const answer = await until(
    () => api.request(method, path, options).catch(() => null),
    (seen) => seen !== null && seen.status !== 503,
    `an answer to ${method} ${path}`,
  );
  return answer as Answer;
}

function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}
