/** Asks the metadata services of the three clouds for interruption notices. */
import { request } from 'node:http';
import { type Answer, awsLook, azureLook, googleLook, type Look } from './notices.ts';

/** On the machine itself they answer within milliseconds. */
const DEADLINE_MS = 1_500;
const TEXT_BYTES_MAX = 65_536;
const TOKEN_SECONDS = 21_600;
const NOT_AUTHORISED = 401;

export interface NoticeSource {
  readonly name: string;
  look(nowMs: number): Promise<Look>;
}

/** Base addresses; null for a cloud that is switched off. */
export interface NoticeUrls {
  readonly aws: string | null;
  readonly google: string | null;
  readonly azure: string | null;
}

export function noticeUrlsOf(imdsUrl: string | null, env: Readonly<Record<string, string | undefined>>): NoticeUrls {
  const urlOf = (name: string, fallback: string): string | null => {
    const text = env[name] || fallback;
    return text === 'off' ? null : text.replace(/\/+$/, '');
  };
  return {
    aws: imdsUrl,
    google: urlOf('CAIRN_GCP_METADATA_URL', 'http://metadata.google.internal'),
    azure: urlOf('CAIRN_AZURE_METADATA_URL', 'http://169.254.169.254'),
  };
}

export function noticeSources({ aws, google, azure }: NoticeUrls): NoticeSource[] {
  return [
    ...(aws === null ? [] : [awsSource(aws)]),
    ...(google === null ? [] : [googleSource(google)]),
    ...(azure === null ? [] : [azureSource(azure)]),
  ];
}

function awsSource(base: string): NoticeSource {
  let token: string | null = null;
  const get = async (path: string): Promise<Answer | null> => {
    const headers = token === null ? {} : { 'x-aws-ec2-metadata-token': token };
    const answer = await ask('GET', `${base}/latest/meta-data/${path}`, headers);
    if (answer?.status === NOT_AUTHORISED) token = null;
    return answer;
  };
  return {
    name: 'AWS',
    look: async () => {
      if (token === null) {
        const headers = { 'x-aws-ec2-metadata-token-ttl-seconds': String(TOKEN_SECONDS) };
        const answer = await ask('PUT', `${base}/latest/api/token`, headers);
        if (answer?.status !== 200) return { kind: 'silence' };
        token = answer.text;
      }
      return awsLook(await get('spot/instance-action'), await get('events/recommendations/rebalance'));
    },
  };
}

function googleSource(base: string): NoticeSource {
  let firstSeenMs: number | null = null;
  return {
    name: 'Google',
    look: async (nowMs) => {
      const headers = { 'metadata-flavor': 'Google' };
      const look = googleLook(
        await ask('GET', `${base}/computeMetadata/v1/instance/preempted`, headers),
        firstSeenMs,
        nowMs,
      );
      if (look.kind === 'notice') firstSeenMs ??= nowMs;
      if (look.kind === 'nothing') firstSeenMs = null;
      return look;
    },
  };
}

function azureSource(base: string): NoticeSource {
  return {
    name: 'Azure',
    look: async (nowMs) =>
      azureLook(
        await ask('GET', `${base}/metadata/scheduledevents?api-version=2020-07-01`, { metadata: 'true' }),
        nowMs,
      ),
  };
}

/** Null where there was no answer in time. */
function ask(method: string, url: string, headers: Readonly<Record<string, string>>): Promise<Answer | null> {
  return new Promise((resolve) => {
    const signal = AbortSignal.timeout(DEADLINE_MS);
    const call = request(url, { method, headers, signal, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
        if (text.length > TEXT_BYTES_MAX) call.destroy();
      });
      response.on('error', () => resolve(null));
      response.on('close', () => resolve(null));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    call.on('error', () => resolve(null));
    call.end();
  });
}
