/** By what the queues may be sorted, as an address has it; the headings of their table in lower case. */
export const QUEUE_ORDERS = [
  'queue',
  'running',
  'starting',
  'restoring',
  'stuck',
  'stranded',
  'most-unsaved',
  'overdue',
  'submitted',
  'failed',
  'failed-of-ended',
  'checkpoints-failed',
  'restored',
  'core-hours',
  'cost',
  'saved',
] as const;
