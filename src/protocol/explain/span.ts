/** A span of time for people: `1 h 23 m`, of at most two units; hours and minutes up to two days, as 1 d says too little of them. */
const UNITS = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'm'],
  [1, 's'],
] as const;

/** From here on it is told in days. */
const DAYS_FROM = 172_800;

export function spanText(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const first = UNITS.findIndex(([size, name]) => whole >= size && (name !== 'd' || whole >= DAYS_FROM));
  if (first < 0) return '0 s';
  let rest = whole;
  return UNITS.slice(first, first + 2)
    .map(([size, name]) => {
      const amount = Math.floor(rest / size);
      rest -= amount * size;
      return amount > 0 ? `${amount} ${name}` : '';
    })
    .filter((text) => text !== '')
    .join(' ');
}
