/** What tells one host name from another. Pure. */

/**
 * The first label of a host name: `ip-10-12-149-20` of `ip-10-12-149-20.ec2.internal`, as machines of a fleet share the others.
 * Any other id as it is; a number in the first label and a word at the end are what host names have.
 */
export function hostLabel(id: string): string {
  return /^([a-z][a-z0-9-]*\d[a-z0-9-]*)(?:\.[a-z0-9-]+)*\.[a-z]{2,}$/i.exec(id)?.[1] ?? id;
}
