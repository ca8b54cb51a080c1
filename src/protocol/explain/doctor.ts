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
] as const;

export const doctorFindingSchema = z.object({
  id: z.enum(DOCTOR_FINDINGS).describe('What kind of finding it is'),
  severity: z.enum(['warning', 'critical']),
  what: z.string().describe('What was found, with its figures'),
  remedy: z.string().describe('What to do about it'),
});
export type DoctorFinding = z.infer<typeof doctorFindingSchema>;

export const doctorReportSchema = z.object({ findings: z.array(doctorFindingSchema) });
export type DoctorReport = z.infer<typeof doctorReportSchema>;
