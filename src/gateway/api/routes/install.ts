/** Routes by which a machine becomes a worker: a script of one line, and the package that it installs. */
import type { Route } from '../../http/route.ts';

export const INSTALL_ROUTES = [
  {
    name: 'getInstallScript',
    method: 'GET',
    path: '/api/v1/scripts/install-agent',
    access: 'anyone',
    summary:
      'Read the shell script that makes a machine a worker of this server; it takes --join-token and --fingerprint',
    answer: { description: 'A POSIX shell script', contentType: 'text/x-shellscript; charset=utf-8', schema: null },
    errors: [],
  },
  {
    name: 'getAgentPackage',
    method: 'GET',
    path: '/api/v1/agent/package',
    access: 'anyone',
    summary: 'Download the worker agent’s package',
    query: {
      format: 'deb, rpm or tar; defaults to deb',
      arch: 'amd64 or arm64 (also x86_64 and aarch64); defaults to the server’s own',
    },
    answer: {
      description: 'The package of this server’s version',
      contentType: 'application/vnd.debian.binary-package',
      schema: null,
      alsoAs: ['application/x-rpm', 'application/gzip'],
    },
    errors: ['invalid', 'notFound'],
  },
] as const satisfies readonly Route[];
