/** A span of time for people: `1 h 23 m`, of at most two units. */
const UNITS = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'm'],
  [1, 's'],
] as const;

export function spanText(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const first = UNITS.findIndex(([size]) => whole >= size);
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
