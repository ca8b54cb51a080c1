/** Names by which a predecessor's scripts know settings and paths. They are taken, and never given out. Pure. */

const FORMER_SETTINGS: readonly (readonly [string, string])[] = [
  ['ckpt.cloudWatchMode', 'ckpt.cloudMonitorMode'],
  ['job.ebsPerJob', 'job.volPerJob'],
  ['job.ebsMountPath', 'job.volMountPath'],
];
const FORMER_GROUP = 'security.cognito.';
const GROUP = 'security.idp.';

const FORMER_PATHS: ReadonlyMap<string, string> = new Map([
  ['/api/v1/security/cognito', '/api/v1/security/idp'],
  ['/api/v1/scripts/install-pagent', '/api/v1/scripts/install-agent'],
]);

/** Today's path of a request. */
export function currentPath(path: string): string {
  return FORMER_PATHS.get(path) ?? path;
}

/** Today's name of a setting. */
export function currentName(name: string): string {
  if (name.startsWith(FORMER_GROUP)) return GROUP + name.slice(FORMER_GROUP.length);
  return FORMER_SETTINGS.find(([former]) => former === name)?.[1] ?? name;
}

/** Entries by today's names. One that is given by both names is given twice: `twice` lists today's names. */
export function byCurrentNames(entries: Readonly<Record<string, unknown>>): {
  readonly entries: Record<string, unknown>;
  readonly twice: readonly string[];
} {
  const twice: string[] = [];
  const renamed = Object.entries(entries).map(([name, value]): [string, unknown] => {
    const current = currentName(name);
    if (current !== name && Object.hasOwn(entries, current)) twice.push(current);
    return [current, value];
  });
  return { entries: Object.fromEntries(renamed), twice };
}
