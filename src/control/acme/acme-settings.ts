/** Where a certificate is obtained from and for which names, from `CAIRN_ACME_*`. Pure. */
import { isIP } from 'node:net';
import { UsageError } from '../../base/usage-error.ts';

export interface AcmeSettings {
  readonly directoryUrl: string;
  /** To be told of trouble with the certificate; null: nobody. */
  readonly email: string | null;
  /** Host names; the first is the certificate's own. */
  readonly names: readonly string[];
  /** Where challenges (HTTP-01) are answered; the authority asks at port 80. */
  readonly challengePort: number;
}

const DIRECTORIES: Readonly<Record<string, string>> = {
  letsencrypt: 'https://acme-v02.api.letsencrypt.org/directory',
  'letsencrypt-staging': 'https://acme-staging-v02.api.letsencrypt.org/directory',
};
const CHALLENGE_PORT = 80;

/** Null where no authority is set. Throws `UsageError`. */
export function acmeSettingsOf(
  env: Readonly<Record<string, string | undefined>>,
  publicNames: readonly string[],
): AcmeSettings | null {
  const given = env['CAIRN_ACME_DIRECTORY'];
  if (!given) return null;
  const directoryUrl = Object.hasOwn(DIRECTORIES, given) ? (DIRECTORIES[given] as string) : given;
  const url = URL.canParse(directoryUrl) ? new URL(directoryUrl) : undefined;
  const isLocal = url?.protocol === 'http:' && /^(127\.\d+\.\d+\.\d+|\[::1\]|localhost)$/.test(url.hostname);
  if (url?.protocol !== 'https:' && !isLocal)
    throw new UsageError(
      `cannot use CAIRN_ACME_DIRECTORY ${given}: want an https address, ${Object.keys(DIRECTORIES).join(' or ')}`,
    );
  const names = publicNames.filter((name) => isIP(name) === 0);
  if (names.length === 0)
    throw new UsageError('cannot use CAIRN_ACME_DIRECTORY without a host name in CAIRN_PUBLIC_NAMES');
  const port = Number(env['CAIRN_ACME_PORT'] || CHALLENGE_PORT);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new UsageError(`cannot use CAIRN_ACME_PORT ${env['CAIRN_ACME_PORT']}: want a port, 1 to 65535`);
  return { directoryUrl, email: env['CAIRN_ACME_EMAIL'] || null, names, challengePort: port };
}
