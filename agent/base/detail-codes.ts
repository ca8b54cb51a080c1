/** What the `detail` of a job's event begins with where something was not done; docs/guide/jobs.md says what each means. */
export const DETAIL_CODES = [
  ...(['no-engine', 'io-uring', 'device', 'tcp-connections', 'no-space', 'image-folder'] as const),
  ...(['dump-failed', 'engine-killed', 'agent-restarted', 'output-missing', 'store-failed', 'copy-ended'] as const),
  ...(['no-time', 'superseded', 'slow'] as const),
  ...(['restore-failed', 'file-changed', 'no-image', 'copy-gone', 'reclaimed'] as const),
] as const;

export type DetailCode = (typeof DETAIL_CODES)[number];

export function detailOf(code: DetailCode, text: string): string {
  return `${code}: ${text}`;
}
