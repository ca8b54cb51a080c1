/** `cairn login`, `logout` and `whoami`. */
import type { CommandAction } from '../../src/base/command-input.ts';
import type { Credentials } from '../api/credentials.ts';
import { storeCredentials } from '../api/credentials.ts';
import { Failure } from '../api/failure.ts';
import { signInWithBrowser } from '../identity/browser-sign-in.ts';
import { readPassword } from '../identity/password.ts';
import { type Provider, providerOf } from '../identity/provider.ts';
import { credentialsOf, discover, initiateAuth } from '../identity/tokens.ts';
import { printObject, printPairs } from '../output/rows.ts';
import { apiCommand, commandWithoutToken, type Session, textFlag } from './session.ts';

export const login: CommandAction = commandWithoutToken(async (session) => {
  const { client, screen } = session;
  const provider = await providerOf(client);
  const username = textFlag(session, 'username');
  const credentials = await (username === undefined ? byBrowser(session, provider) : byPassword(provider, username));
  storeCredentials(client.server, credentials);
  const until = credentials.expiresAt === null ? '' : ` until ${credentials.expiresAt}`;
  const renewal = credentials.refresh ? '; it is renewed when it is used after that' : '';
  await screen.print(`signed in to ${client.server}${until}${renewal}\n`);
  return undefined;
});

async function byBrowser(session: Session, { issuer, clientID, scopes }: Provider): Promise<Credentials> {
  const endpoints = await discover(issuer);
  const granted = await signInWithBrowser({
    endpoints,
    clientId: clientID,
    scopes,
    port: Number(textFlag(session, 'port') ?? 0),
    say: (text) => process.stderr.write(text),
    opensBrowser: session.values['no-browser'] !== true,
  });
  const tokenEndpoint = endpoints.token_endpoint;
  return credentialsOf(granted, Date.now(), (refreshToken) => ({
    kind: 'oidc',
    tokenEndpoint,
    clientId: clientID,
    refreshToken,
  }));
}

async function byPassword({ poolEndpoint, clientID }: Provider, username: string): Promise<Credentials> {
  if (poolEndpoint === null) {
    throw new Failure('this server’s identity provider is no user pool: sign in without --username');
  }
  const password = await readPassword(`Password of ${username}: `);
  const parameters = { USERNAME: username, PASSWORD: password };
  const granted = await initiateAuth(poolEndpoint, clientID, 'USER_PASSWORD_AUTH', parameters);
  return credentialsOf(granted, Date.now(), (refreshToken) => ({
    kind: 'cognito',
    endpoint: poolEndpoint,
    clientId: clientID,
    refreshToken,
  }));
}

export const logout: CommandAction = commandWithoutToken(async ({ client, screen }) => {
  const wasSignedIn = storeCredentials(client.server, null);
  await screen.print(wasSignedIn ? `signed out of ${client.server}\n` : `not signed in to ${client.server}\n`);
  return undefined;
});

interface Me {
  readonly name: string;
  readonly roles: readonly string[];
}

export const whoami: CommandAction = apiCommand(async ({ client, screen }) => {
  const text = await client.text('/api/v1/security/me');
  if (screen.form !== 'table') await printObject(screen, text);
  else {
    const { name, roles } = JSON.parse(text) as Me;
    await printPairs(screen, [
      ['name', name],
      ['roles', roles],
    ]);
  }
  return undefined;
});
