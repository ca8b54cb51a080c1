/** How the target of a webhook is told from another one of the same host. Pure. */

/** A path that nobody would take for a secret. */
const WORD = /^\/[a-z-]{1,12}\/?$/;
const TAIL_LENGTH = 4;

/**
 * What follows the host: `/cairn`, or `/…f4Xz` where the path may hold a secret, as those of chat services do. The list is
 * shown around and printed; who may see the whole URL finds it in the form.
 */
export function pathHint(url: string): string {
  const { pathname, search } = new URL(url);
  if (search === '' && (pathname === '/' || WORD.test(pathname))) return pathname === '/' ? '' : pathname;
  return `/…${(pathname + search).slice(-TAIL_LENGTH)}`;
}
