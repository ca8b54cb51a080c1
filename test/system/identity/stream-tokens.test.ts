/** Long answers and the right to them: a stream lives no longer than what it was admitted with (contract section 9). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Api } from '../../support/api.ts';
import { EventReader } from '../../support/event-reader.ts';
import { ServerProcess } from '../../support/server-process.ts';
import { TokenIssuer } from '../../support/token-issuer.ts';

const SETTINGS = {
  region: 'us-east-1',
  userPoolID: 'us-east-1_AbCdEf123',
  clientID: 'client123',
  identityPoolID: 'us-east-1:12345678-1234-1234-1234-123456789012',
  adminGroups: 'admin',
  accessKey: '',
  secretKey: '',
  token: '',
};

test('streams end with their token, and with a change of the identity provider', async () => {
  const issuer = await TokenIssuer.start();
  const server = await ServerProcess.start({ env: { CAIRN_IDP_ISSUER: issuer.url } });
  const api = new Api(server.address);
  try {
    const nobody = await EventReader.open(server.address);
    assert.equal((await api.put('/api/v1/security/idp', SETTINGS)).status, 200);
    await nobody.closed('the identity provider to be on');
    assert.equal((await EventReader.open(server.address)).status, 401);

    const staff = { groups: ['staff'] };
    const short = await EventReader.open(server.address, '', undefined, await issuer.token({ ...staff, expiresIn: 2 }));
    const long = await EventReader.open(server.address, '', undefined, await issuer.token(staff));
    assert.deepEqual([short.status, long.status], [200, 200]);
    await short.closed('its token to end');
    assert.equal(long.isOpen, true);

    const headers = { authorization: `bearer ${await issuer.token({ groups: ['admin'] })}` };
    const body = { ...SETTINGS, adminGroups: 'admin,more' };
    assert.equal((await api.request('PUT', '/api/v1/security/idp', { body, headers })).status, 200);
    await long.closed('the change of the identity provider');
  } finally {
    api.close();
    await server.dispose();
    await issuer.stop();
  }
});
