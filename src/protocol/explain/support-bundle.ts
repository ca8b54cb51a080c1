/** What the support bundles of the command line and of the dashboard hold. Pure. */

/** A file of the bundle. */
export interface BundleFile {
  readonly name: string;
  readonly text: string;
}

interface Part {
  /** Of the file in the bundle. */
  readonly name: string;
  readonly path: string;
  /** Whether it is JSON that may hold secrets. */
  readonly isSecret?: true;
}

const CONFIG: Part = { name: 'config.json', path: '/api/v1/config', isSecret: true };

/** What is read of the server beside its configuration; of the logs see `logsOf`. */
const PARTS: readonly Part[] = [
  { name: 'config-history.json', path: '/api/v1/config/history', isSecret: true },
  { name: 'ready.json', path: '/readyz' },
  { name: 'doctor.json', path: '/api/v1/doctor' },
  { name: 'metrics.txt', path: '/metrics' },
  { name: 'queues.json', path: '/api/v1/queue' },
];

/** Lines of each log; a line of the server log has some hundred bytes. */
const LOG_LINES = 5_000;
const LOG_KINDS = ['', '-access'] as const;

function logsOf(config: string): readonly Part[] {
  const { log } = JSON.parse(config) as { readonly log: { readonly file: string } };
  const name = encodeURIComponent((log.file.split('/').at(-1) ?? '').replace(/\.log$/, ''));
  return LOG_KINDS.map((kind) => ({ name: logName(kind), path: `/${name}${kind}.log?tail=${LOG_LINES}` }));
}

function logName(kind: (typeof LOG_KINDS)[number]): string {
  return `server${kind}.log`;
}

export interface BundleContents {
  readonly files: readonly BundleFile[];
  /** What could not be read, a line each with the reason. */
  readonly missing: readonly string[];
}

/**
 * What the server tells, without secrets. `read` gives the text at a path. `reasonOf` says of an error of `read` why that part is
 * missing; where it gives undefined the error is thrown, as when there is no server.
 */
export async function readBundle(
  read: (path: string) => Promise<string>,
  reasonOf: (error: unknown) => string | undefined,
): Promise<BundleContents> {
  const files: BundleFile[] = [];
  const missing: string[] = [];
  const add = async ({ name, path, isSecret }: Part): Promise<string | undefined> => {
    try {
      const text = await read(path);
      files.push({ name, text: isSecret ? withoutSecrets(text) : text });
      return text;
    } catch (error) {
      const reason = reasonOf(error);
      if (reason === undefined) throw error;
      missing.push(`${name}: ${reason}`);
      return undefined;
    }
  };
  const config = await add(CONFIG);
  for (const part of PARTS) await add(part);
  // Without the configuration nobody knows where the logs are.
  if (config === undefined) missing.push(...LOG_KINDS.map((kind) => `${logName(kind)}: its name is in ${CONFIG.name}`));
  else for (const part of logsOf(config)) await add(part);
  return { files, missing };
}

/** All files of a bundle: what was read, `versions` of who read it, and what is missing if anything is. */
export function bundleFiles({ files, missing }: BundleContents, versions: object): readonly BundleFile[] {
  return [
    ...files,
    { name: 'versions.json', text: `${JSON.stringify(versions, null, 2)}\n` },
    ...(missing.length === 0 ? [] : [{ name: 'missing.txt', text: `${missing.join('\n')}\n` }]),
  ];
}

/** Names of settings whose values are nobody else's business. */
const SECRET = /secret|password|token|credential|private/i;

/** JSON without its secrets. By name: also what is no secret today, such as a setting of a later version. */
function withoutSecrets(json: string): string {
  const hide = (key: string, value: unknown): unknown =>
    SECRET.test(key) && typeof value === 'string' && value !== '' ? '(left out)' : value;
  return `${JSON.stringify(JSON.parse(json), hide, 2)}\n`;
}

/** `cairn-support-2026-01-31T12-00-00`: the folder in the bundle, and the bundle without its ending. */
export function bundleName(nowMs: number): string {
  return `cairn-support-${new Date(nowMs).toISOString().replace(/[:.]/g, '-').slice(0, 19)}`;
}
