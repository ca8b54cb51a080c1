/** How long a token is valid, as it is typed. Pure. */

/** The server knows no days: `30d` → `720h`. Anything else stays as it is. */
export function inHours(text: string): string {
  const days = /^(\d{1,5})d$/.exec(text.trim())?.[1];
  return days === undefined ? text.trim() : `${Number(days) * 24}h`;
}

/** In words that follow the name of the field. */
export const TTL_FAULT = 'is no time of at most ten years, such as 30d or 12h';
