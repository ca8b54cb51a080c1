/**
 * A certified OpenID Connect provider with the tokens of one that people have: Keycloak (typ JWT, roles in a nested
 * claim), Entra (v2 issuer with a path, groups as ids, no scope of ours), Okta (no typ, cid and scp). Programs get
 * tokens by client credentials; people sign in by the authorization code flow with PKCE.
 */
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';

export type Brand = 'keycloak' | 'entra' | 'okta';

export const ENTRA_GROUPS = {
  admins: '0b1f64e2-5a3c-4a57-9e0c-7a3a3c1d0001',
  staff: '0b1f64e2-5a3c-4a57-9e0c-7a3a3c1d0002',
} as const;

const RESOURCE = 'https://cairn.example/';
const PROGRAM = { client_id: 'program', client_secret: 'not-so-secret' };
const PATHS: Readonly<Record<Brand, string>> = {
  keycloak: '/realms/batch',
  entra: '/1d2c3b4a-0000-4000-8000-00000000aaaa/v2.0',
  okta: '/oauth2/default',
};

interface Jwt {
  header: Record<string, unknown> | undefined;
  readonly payload: Record<string, unknown>;
}

export class OidcIssuer {
  readonly url: string;
  readonly clientId = 'dashboard';
  /** Groups in the next tokens. */
  groups: readonly string[] = [];
  /** Fields of the discovery document that are not as they should be. */
  lies: Readonly<Record<string, unknown>> = {};
  /** What is answered in place of everything. */
  answer: 'as it should' | 'nothing' | 'redirect' = 'as it should';
  readonly #server: Server;
  readonly #path: string;
  readonly #brand: Brand;
  readonly #redirectUris: readonly string[];
  #listener: ReturnType<Provider['callback']>;

  private constructor(server: Server, brand: Brand, redirectUris: readonly string[]) {
    this.#server = server;
    this.#brand = brand;
    this.#path = PATHS[brand];
    this.#redirectUris = redirectUris;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${this.#path}`;
    this.#listener = this.#provider().callback();
    server.on('request', (request, response) => {
      if (this.answer === 'nothing') return;
      if (this.answer === 'redirect') {
        response.writeHead(302, { location: `${this.url}/elsewhere` }).end();
        return;
      }
      const { originalUrl = request.url ?? '/' } = request as { originalUrl?: string };
      if (Object.keys(this.lies).length > 0 && originalUrl.endsWith('/.well-known/openid-configuration')) {
        const truth = { issuer: this.url, jwks_uri: `${this.url}/jwks` };
        response.setHeader('content-type', 'application/json').end(JSON.stringify({ ...truth, ...this.lies }));
        return;
      }
      if (!originalUrl.startsWith(this.#path)) {
        response.writeHead(404).end();
        return;
      }
      // As a router does for what is mounted below a path: the provider writes its addresses with it.
      (request as { originalUrl?: string }).originalUrl = originalUrl;
      request.url = originalUrl.slice(this.#path.length) || '/';
      this.#listener(request, response);
    });
  }

  static async start(brand: Brand, redirectUris: readonly string[] = []): Promise<OidcIssuer> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new OidcIssuer(server, brand, redirectUris);
  }

  get settings(): object {
    const groupsClaim = this.#brand === 'keycloak' ? { groupsClaim: 'realm_access.roles' } : {};
    const audience = this.#brand === 'okta' ? { audience: 'api://default' } : {};
    return { issuer: this.url, clientID: this.clientId, ...groupsClaim, ...audience };
  }

  /** New keys; tokens of the old ones are no longer its. */
  rotate(): void {
    this.#listener = this.#provider().callback();
  }

  /** A program's access token. */
  async token(groups: readonly string[]): Promise<string> {
    this.groups = groups;
    const response = await fetch(`${this.url}/token`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`${PROGRAM.client_id}:${PROGRAM.client_secret}`).toString('base64')}`,
      },
      body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'api', resource: RESOURCE }),
    });
    return ((await response.json()) as { access_token: string }).access_token;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #provider(): Provider {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const key = { ...privateKey.export({ format: 'jwk' }), kid: randomUUID(), alg: 'RS256', use: 'sig' };
    const dashboard = {
      client_id: this.clientId,
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      redirect_uris: this.#redirectUris,
    };
    const program = { ...PROGRAM, grant_types: ['client_credentials'], redirect_uris: [], response_types: [] };
    return new Provider(this.url, {
      jwks: { keys: [key] },
      clients: this.#redirectUris.length > 0 ? [program, dashboard] : [program],
      clientBasedCORS: () => true,
      // Without offline_access too, as the three brands do for a session that lasts.
      issueRefreshToken: async (_: unknown, client: { grantTypeAllowed(type: string): boolean }) =>
        client.grantTypeAllowed('refresh_token'),
      pkce: { required: () => true },
      features: {
        clientCredentials: { enabled: true },
        devInteractions: { enabled: true },
        resourceIndicators: {
          enabled: true,
          defaultResource: () => RESOURCE,
          useGrantedResource: () => true,
          getResourceServerInfo: () => ({
            scope: 'api',
            audience: RESOURCE,
            accessTokenFormat: 'jwt',
            jwt: { sign: { alg: 'RS256' } },
          }),
        },
      },
      formats: { customizers: { jwt: (_: unknown, __: unknown, jwt: Jwt) => this.#dress(jwt) } },
    });
  }

  /** The token as the brand writes it. */
  #dress(jwt: Jwt): void {
    const { groups, clientId } = this;
    const other = { client_id: undefined, scope: undefined };
    jwt.header = { typ: this.#brand === 'okta' ? undefined : 'JWT' };
    const claims: Readonly<Record<Brand, object>> = {
      keycloak: { typ: 'Bearer', azp: clientId, aud: 'account', realm_access: { roles: groups } },
      entra: { ...other, aud: clientId, azp: 'other', scp: 'access', ver: '2.0', groups },
      okta: { ...other, aud: 'api://default', cid: clientId, scp: ['api'], groups },
    };
    Object.assign(jwt.payload, claims[this.#brand]);
  }
}
