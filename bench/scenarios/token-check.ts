/**
 * What a token costs: one that was seen before, one that is new, and none while the provider is off.
 *
 * Measured: CPU of `Auth.authenticate` in this process, by blocks of calls (so the percentiles are of means). Excluded: HTTP.
 * Sketch: SHA-256 of 1 KB 1.1 µs and a map's lookup; a new one parses and verifies ES256, some 100 µs. Budget: 3 µs once seen.
 */
import { exportJWK, generateKeyPair } from 'jose';
import { Auth } from '../../src/gateway/identity/auth.ts';
import { signNodeToken } from '../../src/gateway/identity/node-token.ts';
import { newConfig } from '../../src/protocol/config/config.ts';
import { NO_IDENTITY } from '../../src/protocol/identity/identity.ts';
import type { AnyRow, RunOptions, Scenario } from '../harness/table.ts';

const SERVER_ID = 'bench';
/** More than a cache line, fewer than the cache holds. */
const TOKENS = 1_000;

export const tokenCheck: Scenario = {
  name: 'token-check',
  run: async ({ smoke }: RunOptions) => {
    const tokens = await makeTokens(smoke ? 10 : TOKENS);
    const headers = tokens.made.map((token) => `Bearer ${token}`);
    const seen = authOf(true, tokens.key);
    for (const header of headers) await seen.authenticate(header);
    const off = authOf(false, tokens.key);
    const blocks = smoke ? 2 : 200;
    return [
      await rowOf('a token that was seen', headers, blocks, (header) => seen.authenticate(header)),
      await rowOf('a new token', headers, smoke ? 1 : 5, (header) => authOf(true, tokens.key).authenticate(header)),
      await rowOf('any header, provider off', headers, blocks, (header) => off.authenticate(header)),
    ];
  },
};

async function makeTokens(count: number): Promise<{ made: readonly string[]; key: Record<string, unknown> }> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  const key = { ...(await exportJWK(privateKey)), kid: 'k', alg: 'ES256' };
  const issuedMs = Date.now();
  const claims = { isRenewable: true, issuedMs, untilMs: issuedMs + 3_600_000 };
  // As long as those of a pool, with some groups in them.
  const idOf = (i: number): string => `i-${String(i).padStart(17, '0')}.${'x'.repeat(100)}`;
  const made = Array.from({ length: count }, (_, i) => signNodeToken({ ...claims, nodeId: idOf(i) }, SERVER_ID, key));
  const { d: _, ...publicKey } = key;
  return { made: await Promise.all(made), key: publicKey };
}

function authOf(isOn: boolean, key: Record<string, unknown>): Auth {
  const seeds = { addr: '', id: SERVER_ID, staticFolder: '', logFile: '', certFile: '', keyFile: '' };
  const config = newConfig(seeds);
  const idp = { ...config.security.idp, enabled: isOn };
  return new Auth(
    { wallMs: () => Date.now(), seekIdpKey: async () => 'unknown', env: {} },
    {
      config: { ...config, security: { ...config.security, idp } },
      configVersion: 1,
      definitions: [],
      orders: new Map(),
      identity: { ...NO_IDENTITY, nodeKeys: [key] },
    },
  );
}

async function rowOf(
  name: string,
  headers: readonly string[],
  blocks: number,
  check: (header: string) => unknown,
): Promise<AnyRow> {
  const means: number[] = [];
  const before = process.cpuUsage();
  const begun = performance.now();
  for (let i = 0; i < blocks; i++) {
    const start = performance.now();
    for (const header of headers) {
      const caller = check(header);
      if (caller instanceof Promise) await caller;
    }
    means.push((performance.now() - start) / headers.length);
  }
  const { user, system } = process.cpuUsage(before);
  const count = blocks * headers.length;
  means.sort((a, b) => a - b);
  return {
    name,
    unit: 'check',
    perSecond: (1_000 * count) / (performance.now() - begun),
    p50Ms: means[Math.floor(means.length / 2)] ?? 0,
    p99Ms: means[Math.floor(means.length * 0.99)] ?? 0,
    cpuMicroseconds: (user + system) / count,
  };
}
