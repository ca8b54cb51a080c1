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

export const doctorReportSchema = z.object({ findings: z.array(doctorFindingSchema) }).meta({
  id: 'DoctorReport',
  description: 'The findings; none on a healthy server',
  examples: [{ findings: [EXAMPLE_FINDING] }],
});
export type DoctorReport = z.infer<typeof doctorReportSchema>;
