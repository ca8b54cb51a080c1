/** `cairn health`: asks the server of a data folder whether it does its work. For container health checks. */
import { request as httpRequest } from 'node:http';
import type { CommandInput } from '../base/command-input.ts';
import { tryParseAddress } from '../protocol/address.ts';
import { ConfigFile } from '../store/files/config-file.ts';
import { dataFolderOf } from './data-folder.ts';

const TIMEOUT_MS = 2_500;

export async function healthCommand({ values }: CommandInput): Promise<number> {
  const file = new ConfigFile(dataFolderOf(values));
  const stored = (await file.read()) as { addr?: string } | undefined;
  const address = tryParseAddress(stored?.addr ?? '');
  if (!address) throw new Error(`there is no address in ${file.path}: the server has not been started`);
  const host = address.host === '0.0.0.0' ? '127.0.0.1' : address.host === '::' ? '::1' : address.host;
  const status = await statusOf(address.scheme, host, address.port);
  process.stdout.write(status === 200 ? 'ready\n' : `not ready: ${status}\n`);
  return status === 200 ? 0 : 1;
}

/** The certificate is not checked: this asks the machine itself, and the certificate may be self-made. */
async function statusOf(scheme: 'http' | 'https', host: string, port: number): Promise<number | string> {
  // TLS is loaded where it is needed: a health check is a process every few seconds.
  const request = scheme === 'https' ? (await import('node:https')).request : httpRequest;
  return new Promise((resolve) => {
    const asked = request(
      { host, port, path: '/readyz', timeout: TIMEOUT_MS, rejectUnauthorized: false },
      (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      },
    );
    asked.on('timeout', () => asked.destroy(new Error('no answer')));
    asked.on('error', (error) => resolve(error.message));
    asked.end();
  });
}
