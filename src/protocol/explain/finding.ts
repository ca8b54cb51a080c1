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

const evidenceSchema = z.object({
  time: timestampSchema.nullable().describe('When it was so; null for a setting or a fact without a time'),
  text: z.string(),
});
export type Evidence = z.infer<typeof evidenceSchema>;

function findingSchema<const Code extends string>(codes: readonly Code[]) {
  return z.object({
    code: z.enum(codes),
    severity: z.enum(SEVERITIES),
    text: z.string().describe('One or two sentences'),
    since: timestampSchema.nullable().describe('Since when it is so; null if that is not known'),
    evidence: z.array(evidenceSchema).describe('The events, settings and facts it rests on'),
    remedy: z.string().nullable().describe('What to do; null if nothing need be done'),
  });
}

/** `summary` is a sentence of its own; `findings` come worst first. */
export function explanationSchema<const Code extends string>(codes: readonly Code[]) {
  return z.object({ summary: z.string(), findings: z.array(findingSchema(codes)) });
}

export const jobExplanationSchema = explanationSchema(JOB_FINDING_CODES);
export const nodeExplanationSchema = explanationSchema(NODE_FINDING_CODES);

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
