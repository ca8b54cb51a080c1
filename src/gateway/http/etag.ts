/** Entity tags and the requests that are made with them (RFC 9110, 8.8.3 and 13.1.2). */
import { createHash } from 'node:crypto';
import type { SharedState } from '../../actors/shard/wire/shared-state.ts';

/** Weak: two answers with the same tag mean the same, their bytes may differ. */
export function weakEtag(...parts: readonly (string | number)[]): string {
  return `W/"${createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 22)}"`;
}

/** Whose counters a tag is made of: two servers of a cluster may have the same number for different contents. */
export function countersOf({ config, cluster }: Pick<SharedState, 'config' | 'cluster'>): string {
  return cluster ? `${config.id} ${cluster.self}` : config.id;
}

/** Whether an If-None-Match header names the tag, compared weakly. */
export function namesEtag(header: string, etag: string): boolean {
  if (header.trim() === '*') return true;
  const bare = (tag: string): string => tag.trim().replace(/^W\//, '');
  return header !== '' && header.split(',').some((tag) => bare(tag) === bare(etag));
}
