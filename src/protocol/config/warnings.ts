/** What a change may be accepted with: sentences for the person who makes it. Pure; server and dashboard show the same. */
import { mustDurationMs } from '../duration.ts';
import type { Config } from './config.ts';

const SHORT_CHECKPOINT_MS = 120_000;

/** Of the configuration after the change, about the fields that the change named. In printable ASCII: they go out as headers. */
export function warningsOf({ ckpt }: Config, paths: Iterable<string>): string[] {
  const named = new Set(paths);
  const warnings: string[] = [];
  if (named.has('ckpt.ckptInterval') && mustDurationMs(ckpt.ckptInterval) < SHORT_CHECKPOINT_MS)
    warnings.push(`ckpt.ckptInterval is ${ckpt.ckptInterval}, below 2m: pauses may cost more than they save`);
  return warnings;
}
