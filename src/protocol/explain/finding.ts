/** What an explanation is made of: findings, each with what it rests on and what to do about it (contract section 14). */
import { z } from 'zod';
import { timestampSchema } from '../node.ts';

export const SEVERITIES = ['ok', 'info', 'warning', 'critical'] as const;
export type Severity = (typeof SEVERITIES)[number];

export const JOB_FINDING_CODES = [
  'running-normally',
  'starting-long',
  'volume-unready',
  'never-checkpointed',
  'checkpoints-ceased',
  'checkpoints-failing',
  'restoring-long',
  'restores-failing',
  'node-late',
  'node-lost',
  'node-interrupted',
  'cannot-be-saved-in-time',
  'failed',
  'stopped',
  'succeeded',
] as const;
export type JobFindingCode = (typeof JOB_FINDING_CODES)[number];

export const NODE_FINDING_CODES = [
  'alive',
  'late',
  'lost',
  'verdict-held',
  'deregistered',
  'drained',
  'interrupted',
  'agent-old',
  'clock-differs',
  'cannot-checkpoint',
] as const;
export type NodeFindingCode = (typeof NODE_FINDING_CODES)[number];

const evidenceSchema = z
  .object({
    time: timestampSchema.nullable().describe('When it was so; null for a setting or a fact without a time'),
    text: z.string(),
  })
  .meta({
    id: 'Evidence',
    description: 'An event, a setting or a fact that a finding rests on',
    examples: [{ time: '2026-05-04T10:00:00Z', text: 'Job-Running' }],
  });
export type Evidence = z.infer<typeof evidenceSchema>;

interface FindingExample<Code> {
  readonly summary: string;
  readonly code: Code;
  readonly severity: Severity;
  readonly text: string;
}

/** `summary` is a sentence of its own; `findings` come worst first. */
function explanationSchema<const Code extends string>(
  subject: 'Job' | 'Node',
  codes: readonly Code[],
  { summary, ...example }: FindingExample<Code>,
) {
  const finding = { ...example, since: '2026-05-04T10:00:00Z', evidence: [], remedy: null };
  const findingSchema = z
    .object({
      code: z.enum(codes),
      severity: z.enum(SEVERITIES),
      text: z.string().describe('One or two sentences'),
      since: timestampSchema.nullable().describe('Since when it is so; null if that is not known'),
      evidence: z.array(evidenceSchema).describe('The events, settings and facts it rests on'),
      remedy: z.string().nullable().describe('What to do; null if nothing need be done'),
    })
    .meta({ id: `${subject}Finding`, description: 'How it is, since when, and what to do', examples: [finding] });
  return z.object({ summary: z.string(), findings: z.array(findingSchema) }).meta({
    id: `${subject}Explanation`,
    description: 'A sentence, and findings from the worst to the mildest',
    examples: [{ summary, findings: [finding] }],
  });
}

export const jobExplanationSchema = explanationSchema('Job', JOB_FINDING_CODES, {
  summary: 'The job is running normally.',
  code: 'running-normally',
  severity: 'ok',
  text: 'The job runs, and its last checkpoint succeeded.',
});
export const nodeExplanationSchema = explanationSchema('Node', NODE_FINDING_CODES, {
  summary: 'The node is alive.',
  code: 'alive',
  severity: 'ok',
  text: 'The node sends its heartbeats in time.',
});

export interface Finding<Code extends string = string> {
  readonly code: Code;
  readonly severity: Severity;
  readonly text: string;
  readonly since: string | null;
  readonly evidence: readonly Evidence[];
  readonly remedy: string | null;
}

export interface Explanation<Code extends string = string> {
  readonly summary: string;
  readonly findings: readonly Finding<Code>[];
}

/** Worst first; findings of one severity keep their order. */
export function worstFirst<Code extends string>(findings: readonly Finding<Code>[]): Finding<Code>[] {
  return [...findings].sort((a, b) => SEVERITIES.indexOf(b.severity) - SEVERITIES.indexOf(a.severity));
}

/** With a full stop, unless it has an end. */
export function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
