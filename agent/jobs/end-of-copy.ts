/** What the end of a copy means for its job. Pure. */
import type { CopyEnd } from '../copies/copy.ts';
import { EXIT_ELSEWHERE, EXIT_NO_COMMAND } from '../wire/names.ts';
import type { StopReason } from './job-record.ts';

export interface EndCase {
  readonly end: CopyEnd;
  /** What the copy was to run, without its arguments. */
  readonly command: string;
  readonly stop: StopReason;
  /** An engine was cut off in the middle of a save of this copy, not long ago. */
  readonly wasCutOff: boolean;
  /** The machine has been restarted since the copy was started. */
  readonly isOtherBoot: boolean;
  readonly isGoingDown: boolean;
}

export type Verdict =
  | {
      readonly kind: 'ended';
      readonly status: 'Succeeded' | 'Failed' | 'Stopped';
      readonly exitCode: number;
      readonly detail?: string;
      /** For the person at `cairn run`. */
      readonly message?: string;
    }
  /** Another node has the job: nothing is reported. */
  | { readonly kind: 'superseded' }
  /** It did not end by itself: it goes on from its newest image, or from the beginning. */
  | { readonly kind: 'again'; readonly why: string };

const SIGKILL = 9;
/** Signals of which a process dies when the engine is interrupted: SIGTRAP, SIGBUS, SIGSEGV, SIGSYS. */
const HARM = new Set([5, 7, 11, 31]);
const ENOENT = 2;

export function verdictOf({ end, command, stop, wasCutOff, isOtherBoot, isGoingDown }: EndCase): Verdict {
  if (stop === 'superseded') return { kind: 'superseded' };
  const exitCode = exitCodeOf(end);
  if (stop === 'reclaim') {
    const message = 'the node is being reclaimed: run the job again on another one';
    return { kind: 'ended', status: 'Stopped', exitCode: EXIT_ELSEWHERE, detail: 'reclaimed', message };
  }
  if (end.kind === 'unstartable') return unstartable(end, command);
  if (end.kind === 'lost' && stop === 'signal') return { kind: 'ended', status: 'Stopped', exitCode: 143 };
  if (isOtherBoot || (end.kind === 'signal' && end.signal === SIGKILL && isGoingDown)) {
    return { kind: 'ended', status: 'Stopped', exitCode: EXIT_ELSEWHERE, detail: 'copy-gone' };
  }
  if (end.kind === 'lost') return { kind: 'again', why: 'its shim was killed' };
  if (wasCutOff && HARM.has(exitCode - 128)) return { kind: 'again', why: 'a checkpoint was cut off in the middle' };
  if (stop === 'signal') return { kind: 'ended', status: 'Stopped', exitCode };
  if (exitCode === 0) return { kind: 'ended', status: 'Succeeded', exitCode };
  return {
    kind: 'ended',
    status: 'Failed',
    exitCode,
    detail: exitCode > 128 ? `signal ${exitCode - 128}` : `exit ${exitCode}`,
  };
}

/** As shells have it. */
export function exitCodeOf(end: CopyEnd): number {
  switch (end.kind) {
    case 'code':
      return end.code;
    case 'signal':
      return 128 + end.signal;
    default:
      return 1;
  }
}

function unstartable({ step, errno }: Extract<CopyEnd, { kind: 'unstartable' }>, command: string): Verdict {
  const why = ERRORS[errno] ?? `error ${errno}`;
  if (step !== 'exec') {
    const what = step === 'folder' ? 'its working folder cannot be entered' : 'it cannot be started as this user';
    return { kind: 'ended', status: 'Failed', exitCode: 126, detail: `${what}: ${why}`, message: `${what}: ${why}` };
  }
  const exitCode = errno === ENOENT ? EXIT_NO_COMMAND : 126;
  const message = errno === ENOENT ? `${command}: command not found` : `${command} cannot be run: ${why}`;
  return { kind: 'ended', status: 'Failed', exitCode, detail: message, message };
}

const ERRORS: Readonly<Record<number, string>> = {
  1: 'operation not permitted',
  2: 'no such file or folder',
  7: 'the arguments are too long',
  8: 'not an executable format',
  12: 'out of memory',
  13: 'permission denied',
  20: 'not a folder',
};
