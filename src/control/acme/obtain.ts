/** Obtains a certificate from an authority by ACME (RFC 8555), proving each name over HTTP (HTTP-01). */
import http from 'node:http';
import type { AcmeSettings } from './acme-settings.ts';

export interface ObtainedPair {
  /** PEM, with the chain. */
  readonly certificate: string;
  readonly key: string;
}

const PREFIX = '/.well-known/acme-challenge/';

/** `accountKey`: PEM; the authority knows us by it. Throws what the authority says. */
export async function obtain(settings: AcmeSettings, accountKey: string): Promise<ObtainedPair> {
  // Loaded when it is needed, every two months: no start should wait for it.
  const { default: acme } = await import('acme-client');
  const answers = new Map<string, string>();
  const listener = await listen(settings.challengePort, answers);
  try {
    const client = new acme.Client({ directoryUrl: settings.directoryUrl, accountKey });
    const [commonName] = settings.names;
    const [key, csr] = await acme.crypto.createCsr(
      { commonName: commonName as string, altNames: [...settings.names] },
      await acme.crypto.createPrivateEcdsaKey('P-256'),
    );
    const certificate = await client.auto({
      csr,
      ...(settings.email === null ? {} : { email: settings.email }),
      termsOfServiceAgreed: true,
      challengePriority: ['http-01'],
      // From inside, the public name may lead nowhere; the authority looks for itself.
      skipChallengeVerification: true,
      challengeCreateFn: async (_authorization, challenge, answer) => void answers.set(challenge.token, answer),
      challengeRemoveFn: async (_authorization, challenge) => void answers.delete(challenge.token),
    });
    return { certificate, key: key.toString() };
  } finally {
    listener.closeAllConnections();
    listener.close();
  }
}

export async function newAccountKey(): Promise<string> {
  const { default: acme } = await import('acme-client');
  return (await acme.crypto.createPrivateEcdsaKey('P-256')).toString();
}

/** Open only while an order is in progress: everything else on this port is refused. */
function listen(port: number, answers: ReadonlyMap<string, string>): Promise<http.Server> {
  const server = http.createServer((request, response) => {
    const path = request.url ?? '';
    const answer = path.startsWith(PREFIX) ? answers.get(path.slice(PREFIX.length)) : undefined;
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'text/plain' });
    response.end(answer ?? 'not found\n');
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, () => resolve(server));
  });
}
