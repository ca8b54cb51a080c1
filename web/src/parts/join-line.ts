/** The line that makes a machine a worker of this server, to be pasted there or into a cloud's user data. Pure. */

const CERTIFICATE = /^CERTIFICATE='(-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----)'$/m;
const SCRIPT_PATH = '/api/v1/scripts/install-agent';

export interface JoinLineParts {
  readonly origin: string;
  /** The install script, which carries the server's certificate if that is its own authority. */
  readonly script: string;
  /** Undefined where the server asks for none. */
  readonly joinToken: string | undefined;
}

/** The certificate goes along, so that the machine trusts this server before it has met it, and no other. */
export function joinLine({ origin, script, joinToken }: JoinLineParts): string {
  const certificate = CERTIFICATE.exec(script)?.[1];
  const run = `${origin}${SCRIPT_PATH} | sudo sh${joinToken === undefined ? '' : ` -s -- --join-token ${joinToken}`}`;
  if (certificate === undefined) return `curl -fsS ${run}`;
  return `c=$(mktemp) && echo ${btoa(`${certificate}\n`)} | base64 -d >"$c" && curl -fsS --cacert "$c" ${run}`;
}
