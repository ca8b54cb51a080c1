/** What `cairn login` stored: a token for each server, in a file of the user's own. A token is sent to its server only. */
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

export interface Credentials {
  readonly accessToken: string;
  /** RFC 3339; null where the provider did not say. */
  readonly expiresAt: string | null;
  readonly refresh: Refresh | null;
}

/** How to get the next token without asking the person again. */
export type Refresh =
  | { readonly kind: 'oidc'; readonly tokenEndpoint: string; readonly clientId: string; readonly refreshToken: string }
  | { readonly kind: 'cognito'; readonly endpoint: string; readonly clientId: string; readonly refreshToken: string };

type Environment = Readonly<Record<string, string | undefined>>;

export function credentialsFile(env: Environment = process.env): string {
  return join(env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'cairn', 'credentials.json');
}

export function storedCredentials(server: string, file = credentialsFile()): Credentials | undefined {
  return all(file)[server];
}

/** `null` removes them; whether there were any. */
export function storeCredentials(server: string, credentials: Credentials | null, file = credentialsFile()): boolean {
  const { [server]: before, ...others } = all(file);
  const next = credentials ? { ...others, [server]: credentials } : others;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  // Written beside it and renamed: a token is never in a file that others may read, and never in half a file.
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(next, null, 2)}\n`, { mode: 0o600, flush: true });
  chmodSync(draft, 0o600);
  renameSync(draft, file);
  return before !== undefined;
}

function all(file: string): Record<string, Credentials> {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Record<string, Credentials>;
  } catch {
    return {};
  }
}
