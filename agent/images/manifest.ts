/** `manifest.json` of an image: what it holds, what it was made with, and what a machine must have to restore it. */
import { z } from 'zod';

const count = z.number().min(0);

export const manifestSchema = z.object({
  format: z.literal(1),
  job: z.string(),
  epoch: z.number().int(),
  number: z.number().int(),
  time: z.string(),
  nodeId: z.string(),
  engine: z.string(),
  engineVersion: z.string(),
  /** Of the agent that made it; images of before do not say. */
  cairnVersion: z.string().optional(),
  kernel: z.string(),
  arch: z.string(),
  cpuFeatures: z.array(z.string()),
  /** Mapped programs and libraries, with the id that their linker gave them. */
  executables: z.array(z.object({ path: z.string(), bytes: count, buildId: z.string().nullable() })),
  /** SHA-256 and size of every file of the image, as stored. */
  files: z.record(z.string(), z.object({ sha256: z.string(), bytes: count })),
  /** Of its blocks: `none` or `zstd`; images of before do not say, and have none. */
  compression: z.string().optional(),
  /** The program of the copy's root process; a copy of it is in the image as `cairn-shim`. */
  shim: z.string(),
  tcpClose: z.boolean(),
  cwd: z.string(),
  /** The folder of the root process, which must be there in a restore. */
  initCwd: z.string().optional(),
  /** The node's clock must not put an event before these. */
  lastEventMs: count,
  output: z.object({ stdout: z.lazy(() => outputSchema), stderr: z.lazy(() => outputSchema) }),
  /** Files that the job had open for writing, with their length while it was frozen. */
  openFiles: z.array(z.object({ path: z.string(), bytes: count })),
  /** The job's own volume, and what was taken of it with the image, for other zones. */
  volume: z.object({ id: z.string(), snapshot: z.string().nullable() }).optional(),
  /** Absolute paths of which `ckpt-files.tar` holds copies, taken while the job was frozen. */
  ckptFiles: z.array(z.string()),
  /** Milliseconds and bytes of each stage. */
  stages: z.object({ frozenMs: count, dumpMs: count, storeMs: count, imageBytes: count, storedBytes: count }),
});

const outputSchema = z.object({
  /** The path that the copy had it open by. */
  path: z.string(),
  segments: z.array(z.object({ nodeId: z.string(), start: count })),
  length: count,
  acknowledged: count,
});

export type Manifest = z.infer<typeof manifestSchema>;
export type SavedOutput = z.infer<typeof outputSchema>;
