/**
 * cognito-local in a process of its own, with a pool whose id and issuer have the form of the real ones: it is started once
 * to make the pool, its files are renamed, and it is started again.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  AdminAddUserToGroupCommand,
  AdminCreateUserCommand,
  AdminInitiateAuthCommand,
  AdminSetUserPasswordCommand,
  CognitoIdentityProviderClient,
  CreateGroupCommand,
  CreateUserPoolClientCommand,
  CreateUserPoolCommand,
} from '@aws-sdk/client-cognito-identity-provider';
import { until } from '../api.ts';
import { freePort } from '../network/free-port.ts';

export const POOL_ID = 'us-east-1_CairnTest';
const ISSUER_DOMAIN = 'https://cognito-idp.us-east-1.amazonaws.com';
export const PASSWORD = 'Secret-123';
/** What the emulator sends to confirm a new account. */
export const CONFIRMATION_CODE = '424242';

export interface SignedIn {
  readonly accessToken: string;
  readonly idToken: string;
}

export class CognitoEmulator {
  readonly url: string;
  readonly issuer = `${ISSUER_DOMAIN}/${POOL_ID}`;
  readonly #folder: string;
  readonly #client: CognitoIdentityProviderClient;
  #child: ChildProcess | undefined;
  clientId = '';

  private constructor(folder: string, port: number) {
    this.#folder = folder;
    this.url = `http://127.0.0.1:${port}`;
    this.#client = new CognitoIdentityProviderClient({
      region: 'us-east-1',
      endpoint: this.url,
      credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    });
  }

  static async start(): Promise<CognitoEmulator> {
    const folder = await mkdtemp(join(tmpdir(), 'cairn-cognito-'));
    const emulator = new CognitoEmulator(folder, await freePort());
    await emulator.#makePool();
    return emulator;
  }

  get jwksUri(): string {
    return `${this.url}/${POOL_ID}/.well-known/jwks.json`;
  }

  /** ADMIN_USER_PASSWORD_AUTH, as interface.md describes it. */
  async signIn(name: string): Promise<SignedIn> {
    const { AuthenticationResult } = await this.#client.send(
      new AdminInitiateAuthCommand({
        UserPoolId: POOL_ID,
        ClientId: this.clientId,
        AuthFlow: 'ADMIN_USER_PASSWORD_AUTH',
        AuthParameters: { USERNAME: name, PASSWORD },
      }),
    );
    return { accessToken: AuthenticationResult?.AccessToken ?? '', idToken: AuthenticationResult?.IdToken ?? '' };
  }

  async addUser(name: string, group?: string): Promise<void> {
    const user = { UserPoolId: POOL_ID, Username: name };
    await this.#client.send(new AdminCreateUserCommand({ ...user, MessageAction: 'SUPPRESS' }));
    await this.#client.send(new AdminSetUserPasswordCommand({ ...user, Password: PASSWORD, Permanent: true }));
    if (group === undefined) return;
    await this.#client.send(new CreateGroupCommand({ UserPoolId: POOL_ID, GroupName: group }));
    await this.#client.send(new AdminAddUserToGroupCommand({ ...user, GroupName: group }));
  }

  /** A user who must choose a password of his own when he first signs in. */
  async inviteUser(name: string): Promise<void> {
    const user = { UserPoolId: POOL_ID, Username: name, TemporaryPassword: PASSWORD };
    await this.#client.send(new AdminCreateUserCommand({ ...user, MessageAction: 'SUPPRESS' }));
  }

  async stop(): Promise<void> {
    await this.#kill();
    this.#client.destroy();
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #makePool(): Promise<void> {
    const state = join(this.#folder, '.cognito');
    await mkdir(state, { recursive: true });
    const { hostname, port } = new URL(this.url);
    const config = { TokenConfig: { IssuerDomain: ISSUER_DOMAIN }, ServerConfig: { hostname, port: Number(port) } };
    await writeFile(join(state, 'config.json'), JSON.stringify(config));
    await this.#run();
    const { UserPool } = await this.#client.send(new CreateUserPoolCommand({ PoolName: 'cairn' }));
    await this.#kill();
    const made = UserPool?.Id as string;
    const folder = join(state, 'db');
    for (const name of await readdir(folder)) {
      const path = join(folder, name);
      await writeFile(path, (await readFile(path, 'utf8')).replaceAll(made, POOL_ID));
      await rename(path, join(folder, name.replace(made, POOL_ID)));
    }
    await this.#run();
    const asked = new CreateUserPoolClientCommand({ UserPoolId: POOL_ID, ClientName: 'dashboard' });
    this.clientId = (await this.#client.send(asked)).UserPoolClient?.ClientId as string;
  }

  async #run(): Promise<void> {
    const program = createRequire(import.meta.url).resolve('cognito-local/lib/bin/start.js');
    const { port } = new URL(this.url);
    const child = spawn(process.execPath, [program], {
      cwd: this.#folder,
      stdio: 'ignore',
      env: { PATH: process.env['PATH'] ?? '', HOST: '127.0.0.1', PORT: port, CODE: CONFIRMATION_CODE },
    });
    this.#child = child;
    const health = (): Promise<number> =>
      fetch(`${this.url}/health`).then(
        ({ status }) => status,
        () => 0,
      );
    await until(health, (status) => status === 200, 'the emulator to be up', 30_000);
  }

  async #kill(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  }
}
