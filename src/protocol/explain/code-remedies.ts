/**
 * What to do where a checkpoint failed, by the code that the reason begins with (docs/guide/jobs.md has the same table). Pure.
 */
const REMEDIES: Readonly<Record<string, string>> = {
  'no-engine': 'The node has no working CRIU: run cairn agent check there, which says what is missing.',
  'io-uring': 'A process of the job uses io_uring: switch it off in that program (for Node.js: UV_USE_IO_URING=0).',
  device: 'A process of the job has a GPU or another device open: such jobs cannot be saved.',
  'tcp-connections':
    'A process of the job has open connections: set ckpt.tcpClose, which closes them at each checkpoint, if the job can connect again.',
  'no-space':
    "Free some space on the node, in the agent's folder or in the image folder: the next checkpoint comes after the interval.",
  'image-folder': 'The image folder cannot be used: mount it on the node, and run cairn agent check there.',
  'dump-failed': 'CRIU gave up: to keep its log with the next failure, set ckpt.diagnosisMode.',
  'engine-killed':
    'CRIU was killed during the save: find out what kills it, most often a want of memory. The job continues.',
  'agent-restarted':
    'The agent was restarted during the save: nothing need be done, the next checkpoint comes after the interval.',
  'output-missing':
    "What the container wrote does not come to its log: free some space in the agent's folder. The next checkpoint comes after the interval.",
  'store-failed': 'The image could not be written to the shared folder: check that it is mounted and has room.',
  'copy-ended': 'The job ended meanwhile: nothing need be done.',
  'no-time':
    'The cloud takes the machine before the image is stored: use faster storage or a shorter ckpt.ckptInterval.',
  superseded: 'Another node has claimed the job: nothing need be done.',
};

/** What some of them say of the next checkpoint: not where none is tried. */
export const NEXT_COMES = /[:.,] [Tt]he next checkpoint comes after the interval/;

/** Undefined where the reason begins with no such code. */
export function codeRemedy(reason: string): string | undefined {
  const code = /^[a-z]+(?:-[a-z]+)*(?=:)/.exec(reason)?.[0];
  return code !== undefined && Object.hasOwn(REMEDIES, code)
    ? `${REMEDIES[code]} See also the guide on jobs.`
    : undefined;
}
