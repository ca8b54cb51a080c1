/** What stands in place of an answer until it comes. */
import { onlineManager } from '@tanstack/react-query';

/**
 * The answer of before, so that a page does not empty itself at each choice. While the server is away no other one comes, and figures
 * of one range would stay under the name of another. A function of its own each time that the page is drawn: what one function gave
 * before the server was away, the library keeps.
 */
export function previousAnswer(): <T>(previous: T | undefined) => T | undefined {
  return (previous) => (onlineManager.isOnline() ? previous : undefined);
}
