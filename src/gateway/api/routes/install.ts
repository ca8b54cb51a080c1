/** Routes by which a machine becomes a worker: a script of one line, and the package that it installs. */
import { z } from 'zod';
import { parameter } from '../../../protocol/lists/parameter.ts';
import type { Route } from '../../http/route.ts';
import { bytesSchema } from './forms.ts';

const scriptSchema = z
  .string()
  .meta({ id: 'ShellScript', description: 'A POSIX shell script', examples: ['#!/bin/sh\nset -eu\n'] });

export const INSTALL_ROUTES = [
  {
    name: 'getInstallScript',
    method: 'GET',
    path: '/api/v1/scripts/install-agent',
    access: 'anyone',
    summary:
      'Read the shell script that makes a machine a worker of this server; it takes --join-token and --fingerprint',
    answer: {
      description: 'A POSIX shell script',
      contentType: 'text/x-shellscript; charset=utf-8',
      schema: scriptSchema,
    },
    errors: [],
  },
  {
    name: 'getAgentPackage',
    method: 'GET',
    path: '/api/v1/agent/package',
    access: 'anyone',
    summary: 'Download the worker agent’s package',
    query: {
      format: parameter('deb, rpm or tar; defaults to deb', z.enum(['deb', 'rpm', 'tar']), 'deb'),
      arch: parameter(
        'amd64 or arm64 (also x86_64 and aarch64); defaults to the server’s own',
        z.enum(['amd64', 'arm64', 'x86_64', 'aarch64']),
        'amd64',
      ),
    },
    answer: {
      description: 'The package of this server’s version',
      contentType: 'application/vnd.debian.binary-package',
      schema: bytesSchema,
      alsoAs: ['application/x-rpm', 'application/gzip'],
    },
    errors: ['invalid', 'notFound'],
  },
] as const satisfies readonly Route[];
