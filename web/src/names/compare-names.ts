/** The order in which people look for names: `gpu-9` before `gpu-10`. Pure. */
const BY_NUMBERS = new Intl.Collator('en', { numeric: true });

/** Names that differ only in how a number is written, `a-1` and `a-01`, are in the order of their characters. */
export function compareNames(a: string, b: string): number {
  return BY_NUMBERS.compare(a, b) || (a < b ? -1 : a > b ? 1 : 0);
}
