/** What an operator must look at: a row of the list, and what is known from which the rows are made. */
import type { DoctorFinding } from '../../../../../src/protocol/explain/doctor.ts';
import type { FailedJobs, LongSteps, LostNodes, SilentNode } from '../../../lists/counted.ts';
import type { NodeLoad } from '../../../lists/loads-of.ts';
import type { RunningJob, Saved } from '../../../lists/risk-tone.ts';

export interface AttentionRow {
  readonly key: string;
  readonly severity: 'critical' | 'warning';
  /** Moments in it are RFC 3339. */
  readonly text: string;
  /** How much is at stake, in a few words: `18 h unsaved`. */
  readonly stake?: string;
  /** When it began, or when the latest of them happened or was heard of, RFC 3339; absent where nothing tells it. */
  readonly since?: string;
  readonly latest?: string;
  readonly heard?: string;
  /** Whether the reader may put it away for good: it may be meant to be so. */
  readonly isHideable?: true;
  readonly link: AttentionLink;
}

type JobSearch = Readonly<
  Partial<Record<'phase' | 'status' | 'sort' | 'updatedAfter' | 'updatedBefore', string | undefined>>
> & { readonly saved?: Saved };
type NodeSearch = Readonly<Partial<Record<'state' | 'heartbeatAfter' | 'sort', string>> & { mark?: 'reclaiming' }>;

export type AttentionLink =
  | { readonly to: '/jobs'; readonly search: JobSearch }
  | { readonly to: '/job'; readonly search: { readonly id: string } }
  | { readonly to: '/nodes'; readonly search: NodeSearch }
  | { readonly to: '/node'; readonly search: { readonly id: string } }
  | { readonly to: '/settings'; readonly search: { readonly tab: 'webhooks' | 'ckpt' } }
  | { readonly to: '/health'; readonly search: Record<never, never> };

export interface Circumstances {
  /** Reasons of `/readyz`. */
  readonly reasons: readonly string[];
  /** Nodes that the cloud is taking, the first one first. */
  readonly reclaiming: readonly ReclaimingNode[];
  readonly stranded: number;
  /** Of the stranded jobs: the seconds of work that no checkpoint holds, and the latest event, RFC 3339. */
  readonly strandedSeconds: number | undefined;
  /** Since when the first of them is, RFC 3339; undefined where nobody knows its node. */
  readonly strandedSince: string | undefined;
  readonly strandedHeard: string | undefined;
  /** The one that is silent for longest first. */
  readonly late: readonly SilentNode[];
  /** Nodes that run, those that are late included. */
  readonly running: number;
  /** Undefined while that is not known, as below. */
  readonly lost: LostNodes | undefined;
  readonly failed: FailedJobs | undefined;
  /** Jobs at work by their last event. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Of each status of `FAILURES` that jobs have: the one that has it for longest. */
  readonly oldest: Readonly<Record<string, OldestJob>>;
  readonly checkpoints: LongSteps | undefined;
  /** Jobs that take long to start, and to be restored. */
  readonly starts: LongSteps | undefined;
  readonly restores: LongSteps | undefined;
  /** Seconds between two checkpoints of a job; undefined where jobs are not saved by themselves. */
  readonly intervalSeconds: number | undefined;
  /** Whether the server lets agents save jobs by themselves. */
  readonly isSaving: boolean | undefined;
  /** Whether the reader has put away that it does not. */
  readonly isUnsavingKnown: boolean;
  /** The most unsaved work first. */
  readonly unsaved: readonly RunningJob[];
  /** Whether they are some of the running jobs: those that were created first. */
  readonly isUnsavedPart: boolean;
  readonly findings: readonly DoctorFinding[];
  /** Webhooks whose latest delivery failed. */
  readonly webhooks: readonly FailingWebhook[];
  readonly nowMs: number;
}

/** `time`: when the cloud takes it. `load`: what runs there; undefined while that is not known. */
export interface ReclaimingNode {
  readonly id: string;
  readonly time: string;
  readonly load: Pick<NodeLoad, 'jobs' | 'unsavedSeconds'> | undefined;
}

export interface FailingWebhook {
  readonly id: string;
  /** Events that are not delivered yet. */
  readonly waiting: number;
  /** The latest attempt; null where none was made since the server's start. */
  readonly lastDelivery: { readonly time: string } | null;
}

/** Of the jobs in a trouble the first. */
export interface OldestJob {
  readonly id: string;
  /** What its last event says; empty where it says nothing. */
  readonly reason: string;
  /** When its last event was. */
  readonly since: string;
}
