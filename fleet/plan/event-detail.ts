/** Why something was not done, as agents and runtimes tell it. */

const DETAILS: Readonly<Record<string, readonly string[]>> = {
  'Job-Failed': [
    'exit 137: out of memory (limit 16384 MiB)',
    'exit 2: cannot read /data/input/part-0007.parquet',
    'exit 137: out of memory (limit 8192 MiB)',
    'exit 1',
    'exit 139: segmentation fault',
  ],
  'Job-Stopped': ['reclaimed', 'signal 15', 'copy-gone'],
  'Job-CheckpointFailed': [
    'no-space: /mnt/cairn/checkpoints has 1127 MiB free, the image may need 3277 MiB',
    'no-time: the cloud takes the node in 12 s, the image needs 40 s',
    'dump-failed: a process has an open device',
  ],
  'Job-RestoreFailed': [
    'restore-failed: the image needs avx512f, which this CPU does not have',
    'no-image: no image verifies',
    'file-changed: /scratch/result.bam is shorter than in the image',
  ],
};

/** Of the event that is the `turn`-th; undefined where nothing went wrong. */
export function detailOf(eventType: string, turn: number): string | undefined {
  const all = DETAILS[eventType];
  return all?.[turn % all.length];
}
