/**
 * Asks the EC2 instance metadata service, version 2: a session token first, then the facts with it. One deadline for all
 * of it, because a machine outside EC2 often gets no answer at all from that address, and registration must not wait.
 */
import { request } from 'node:http';
import { ec2InstanceOf, type Instance } from './instance.ts';

/** Answers come within a few milliseconds on EC2; this bounds what a start elsewhere loses. */
const DEADLINE_MS = 1_000;
const TOKEN_SECONDS = '60';
/** The largest is the identity document, under 1 KB. */
const TEXT_SIZE_MAX = 16_384;

/** Null where there is no such service. */
export async function askMetadataService(baseUrl: string): Promise<Instance | null> {
  const signal = AbortSignal.timeout(DEADLINE_MS);
  const ask = (method: string, path: string, headers: Record<string, string>): Promise<string | undefined> =>
    textOf(method, `${baseUrl}/latest/${path}`, headers, signal);
  const token = await ask('PUT', 'api/token', { 'x-aws-ec2-metadata-token-ttl-seconds': TOKEN_SECONDS });
  if (token === undefined) return null;
  const get = (path: string): Promise<string | undefined> => ask('GET', path, { 'x-aws-ec2-metadata-token': token });
  const [instanceId, instanceType, zone, region, lifeCycle, identityDocument] = await Promise.all([
    get('meta-data/instance-id'),
    get('meta-data/instance-type'),
    get('meta-data/placement/availability-zone'),
    get('meta-data/placement/region'),
    get('meta-data/instance-life-cycle'),
    get('dynamic/instance-identity/document'),
  ]);
  return ec2InstanceOf({ instanceId, instanceType, zone, region, lifeCycle, identityDocument });
}

/** The body of a 200; undefined for anything else. A connection of its own: the service is never asked again. */
function textOf(
  method: string,
  url: string,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const call = request(url, { method, headers, signal, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
        if (text.length > TEXT_SIZE_MAX) call.destroy();
      });
      response.on('error', () => resolve(undefined));
      response.on('close', () => resolve(undefined));
      response.on('end', () => resolve(response.statusCode === 200 ? text.trim() : undefined));
    });
    call.on('error', () => resolve(undefined));
    call.end();
  });
}
