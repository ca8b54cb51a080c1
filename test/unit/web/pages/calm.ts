/** Circumstances in which nothing needs attention. */
import type { Circumstances } from '../../../../web/src/pages/overview/attention/attention-row.ts';

export const NOW = Date.UTC(2026, 4, 15, 12);

export const calm: Circumstances = {
  reasons: [],
  reclaiming: [],
  stranded: 0,
  strandedSeconds: undefined,
  strandedSince: undefined,
  strandedHeard: undefined,
  late: [],
  running: 20,
  lost: undefined,
  failed: undefined,
  statuses: { Running: 5, Checkpointing: 2 },
  oldest: {},
  checkpoints: undefined,
  starts: undefined,
  restores: undefined,
  intervalSeconds: undefined,
  isSaving: undefined,
  isUnsavingKnown: false,
  unsaved: [],
  isUnsavedPart: false,
  findings: [],
  webhooks: [],
  nowMs: NOW,
};
