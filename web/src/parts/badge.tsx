/** A state in a colour and in words: the colour is never alone. */
import type { ReactNode } from 'react';
import { wordsOf } from './format.ts';

const TONES: Readonly<Record<string, string>> = {
  alive: 'good',
  running: 'active',
  restoring: 'warn',
  stranded: 'bad',
  stopped: 'warn',
  succeeded: 'good',
  failed: 'bad',
  Succeeded: 'good',
  Running: 'active',
  Checkpointing: 'active',
  CheckpointSucceeded: 'active',
  RestoreSucceeded: 'active',
  Restoring: 'warn',
  late: 'warn',
  reclaiming: 'warn',
  noCheckpoints: 'warn',
  Stopped: 'warn',
  CheckpointFailed: 'bad',
  RestoreFailed: 'bad',
  VolumeUnready: 'bad',
  RestoreVolumeUnready: 'bad',
  Failed: 'bad',
  lost: 'bad',
};

export function Badge({ state, title }: { state: string; title?: string | undefined }): ReactNode {
  return (
    <span className={`badge badge-${TONES[state] ?? 'plain'}`} title={title}>
      {badgeText(state)}
    </span>
  );
}

/** As wide as the other states: the column would take the room of another one. The status beside it says the rest. */
const SHORT: Readonly<Record<string, string>> = { VolumeUnready: 'No volume', RestoreVolumeUnready: 'No volume' };

export function badgeText(state: string): string {
  return SHORT[state] ?? wordsOf(state);
}

/** Last events that say more of a job than its phase: it waits, and does not go on by itself. */
const TROUBLES: ReadonlySet<string> = new Set(['RestoreFailed', 'VolumeUnready', 'RestoreVolumeUnready']);

/** What a badge shows of a job: its phase, or what keeps it there. */
export function jobState({ phase, status }: { readonly phase: string; readonly status: string }): string {
  return (phase === 'restoring' || phase === 'starting') && TROUBLES.has(status) ? status : phase;
}
