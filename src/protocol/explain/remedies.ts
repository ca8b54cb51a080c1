/** What to do about a job that its node no longer runs, in one wording wherever it is said. Pure. */

/** `what`: `the job`. `where`: `another node`. */
export function runAgain(what: string, where: string): string {
  return `Run ${what} again on ${where}, with the same id and the same command as before`;
}

/** Of a node that is lost. `hasJobs`: whether jobs may wait for it. */
export function lostRemedy({ isSpot, hasJobs }: { readonly isSpot: boolean; readonly hasJobs: boolean }): string {
  if (!isSpot) return 'Start the machine or its agent again; it comes back with its next heartbeat.';
  return `A spot machine that the cloud took does not come back${hasJobs ? ': run its jobs again on another node' : ''}.`;
}

/** Of jobs of which some may have no checkpoint, or none that counts: those of a run that failed are set aside. */
export const CONTINUES = 'it continues from its last checkpoint, or starts from scratch if it has none that counts';

interface Cure {
  /** Of reasons as agents and engines give them. */
  readonly reason: RegExp;
  /** `part`: what the reason names. */
  readonly remedy: (part: string) => string;
}

const onNode = (which: string): string => `${runAgain('the job', `a node ${which}`)}.`;
const NO_FAULT = 'The image is not at fault.';

/** The first that fits. */
const CURES: readonly Cure[] = [
  // First: `no space left on device` names no device.
  {
    reason: /(no space left|not enough space|disk quota)/i,
    remedy: () => `Free space where the reason says, then run the job again, or on another node. ${NO_FAULT}`,
  },
  {
    reason: /\b(?:processor|cpu) lacks ((?:\w+, )*\w+?)(?=, which|[.;]|$)/i,
    remedy: (features) => `${onNode(`whose processor has ${features}`)} ${NO_FAULT}`,
  },
  {
    reason: /\bneeds ((?:\w+, )*\w+), which this (?:processor|cpu) does not have/i,
    remedy: (features) => `${onNode(`whose processor has ${features}`)} ${NO_FAULT}`,
  },
  { reason: /\bit is of (\w+), this machine is\b/, remedy: (arch) => `${onNode(`of ${arch}`)} ${NO_FAULT}` },
  {
    reason: /(\/\S+) (?:is missing here|is another build here|has \d+ bytes here)/,
    remedy: (path) => `${onNode(`that has the same ${path} as where it was saved`)} ${NO_FAULT}`,
  },
  {
    reason: /(\/dev\/[\w/-]+|\b(?:nvidia|gpu|device|driver)\b)/i,
    remedy: () => `${onNode('that has the same devices and drivers as where it was saved')} ${NO_FAULT}`,
  },
];

/** Of a restore that failed, by the reason that was given for it; an image that may be damaged is checked. */
export function restoreRemedy(reason: string, jobId: string): string {
  for (const { reason: pattern, remedy } of CURES) {
    const part = pattern.exec(reason)?.[1];
    if (part !== undefined) return remedy(part);
  }
  return `Check its images (cairn image verify ${jobId}). To start from scratch instead, run it with --fresh always.`;
}
