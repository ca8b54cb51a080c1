/** What `cairn doctor` and GET /api/v1/doctor answer (contract section 12). */
import { z } from 'zod';

export const DOCTOR_FINDINGS = [
  'disk',
  'map',
  'free-pages',
  'readers',
  'flush',
  'loop-lag',
  'clock',
  'descriptors',
  'certificate-expiry',
  'certificate-name',
  'permissions',
  'journal',
  'replica-lag',
  'backup-age',
  'agent-version',
  'token-key',
  'records',
] as const;

const EXAMPLE_FINDING = {
  id: 'backup-age' as const,
  severity: 'warning' as const,
  what: 'The last backup is 9 days old.',
  remedy: 'Run cairn backup.',
};

export const doctorFindingSchema = z
  .object({
    id: z.enum(DOCTOR_FINDINGS).describe('What kind of finding it is'),
    severity: z.enum(['warning', 'critical']),
    what: z.string().describe('What was found, with its figures'),
    remedy: z.string().describe('What to do about it'),
  })
  .meta({
    id: 'DoctorFinding',
    description: 'What is wrong with the server, and what to do',
    examples: [EXAMPLE_FINDING],
  });
export type DoctorFinding = z.infer<typeof doctorFindingSchema>;

const EXAMPLE_CHECK = { id: 'disk' as const, value: '412.0 GiB free (78 %)' };

const doctorCheckSchema = z
  .object({
    id: z.enum(DOCTOR_FINDINGS).describe('What kind of finding it looks for'),
    value: z.string().describe('What it saw, in a few words for people'),
  })
  .meta({ id: 'DoctorCheck', description: 'What a check of the server saw', examples: [EXAMPLE_CHECK] });
export type DoctorCheck = z.infer<typeof doctorCheckSchema>;

export const doctorReportSchema = z
  .object({
    findings: z.array(doctorFindingSchema).describe('None on a healthy server'),
    checks: z
      .array(doctorCheckSchema)
      .describe('Of each check for which something was measured, whether or not it has a finding'),
  })
  .meta({
    id: 'DoctorReport',
    description: 'The findings, and what the checks saw',
    examples: [{ findings: [EXAMPLE_FINDING], checks: [EXAMPLE_CHECK] }],
  });
export type DoctorReport = z.infer<typeof doctorReportSchema>;
