/** FNV-1a over UTF-16 code units, 32 bits: places an id on a shard, and a series in its slice on disk: it must never change. Not for secrets. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  }
  // One more mix: FNV's low bits alone spread poorly over a small number of shards.
  hash ^= hash >>> 15;
  hash = Math.imul(hash, 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
}
