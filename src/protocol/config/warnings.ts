/** What a change may be accepted with: sentences for the person who makes it. Pure; server and dashboard show the same. */
import { mustDurationMs } from '../duration.ts';
import type { Config } from './config.ts';
import { isLoopback } from './loopback.ts';

const SHORT_CHECKPOINT_MS = 120_000;

/** A second. */
const FEW_REQUESTS = 20;
const FEW_CONNECTIONS = 20;

/** 0 is no limit. */
function isBelow(limit: number, few: number): boolean {
  return limit > 0 && limit < few;
}

/** Of the configuration after the change, about the fields that the change named. In printable ASCII: they go out as headers. */
export function warningsOf({ addr, ckpt, security }: Config, paths: Iterable<string>): string[] {
  const { limits, idp } = security;
  const named = new Set(paths);
  const warnings: string[] = [];
  if (named.has('addr') && !idp.enabled && !isLoopback(new URL(addr).hostname))
    warnings.push(`addr is ${addr} and no identity provider is on: all who reach it may read and change everything`);
  if (named.has('ckpt.ckptInterval') && mustDurationMs(ckpt.ckptInterval) < SHORT_CHECKPOINT_MS)
    warnings.push(`ckpt.ckptInterval is ${ckpt.ckptInterval}, below 2m: pauses may cost more than they save`);
  for (const name of ['requestsPerAddress', 'requestsPerToken'] as const)
    if (named.has(`security.limits.${name}`) && isBelow(limits[name], FEW_REQUESTS))
      warnings.push(
        `security.limits.${name} is ${limits[name]}, below ${FEW_REQUESTS}: one page of the dashboard asks about that many things at once`,
      );
  if (named.has('security.limits.connections') && isBelow(limits.connections, FEW_CONNECTIONS))
    warnings.push(
      `security.limits.connections is ${limits.connections}, below ${FEW_CONNECTIONS}: one browser opens several, and each worker node one`,
    );
  return warnings;
}
