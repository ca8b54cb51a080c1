/** What the support bundles of the command line and of the dashboard hold. Pure. */

interface BundlePart {
  /** Of the file in the bundle. */
  readonly name: string;
  readonly path: string;
  /** Whether it is JSON that may hold secrets. */
  readonly isSecret?: true;
}

/** What is read of the server; of the logs see `bundleLogs`. */
export const BUNDLE_PARTS: readonly BundlePart[] = [
  { name: 'config.json', path: '/api/v1/config', isSecret: true },
  { name: 'config-history.json', path: '/api/v1/config/history', isSecret: true },
  { name: 'ready.json', path: '/readyz' },
  { name: 'doctor.json', path: '/api/v1/doctor' },
  { name: 'metrics.txt', path: '/metrics' },
  { name: 'queues.json', path: '/api/v1/queue' },
];

/** Lines of each log; a line of the server log has some hundred bytes. */
const LOG_LINES = 5_000;

/** `logFile`: as the configuration has it, `log.file`. */
export function bundleLogs(logFile: string): readonly BundlePart[] {
  const name = encodeURIComponent((logFile.split('/').at(-1) ?? '').replace(/\.log$/, ''));
  return ['', '-access'].map((kind) => ({
    name: `server${kind}.log`,
    path: `/${name}${kind}.log?tail=${LOG_LINES}`,
  }));
}

/** Names of settings whose values are nobody else's business. */
const SECRET = /secret|password|token|credential|private/i;

/** JSON without its secrets. By name: also what is no secret today, such as a setting of a later version. */
export function withoutSecrets(json: string): string {
  const hide = (key: string, value: unknown): unknown =>
    SECRET.test(key) && typeof value === 'string' && value !== '' ? '(left out)' : value;
  return `${JSON.stringify(JSON.parse(json), hide, 2)}\n`;
}

/** `cairn-support-2026-01-31T12-00-00`: the folder in the bundle, and the bundle without its ending. */
export function bundleName(nowMs: number): string {
  return `cairn-support-${new Date(nowMs).toISOString().replace(/[:.]/g, '-').slice(0, 19)}`;
}
