/**
 * What `cairn run` and the agent say to each other over the socket in the agent's data folder: one JSON object a line, in
 * both directions. A client that was cut off comes back with `attach` and the number of bytes that it has shown.
 */
import { z } from 'zod';
import { idSchema } from '../../src/protocol/id.ts';
import { jobSpecSchema } from './job-spec.ts';
import { PASSED_SIGNALS } from './names.ts';

/** Bytes of each stream that the client has shown already. */
const shownSchema = z.object({ stdout: z.number().int().min(0), stderr: z.number().int().min(0) });
export type Shown = z.infer<typeof shownSchema>;

const requestSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('run'), spec: jobSpecSchema, shown: shownSchema }),
  z.object({ type: z.literal('attach'), job: idSchema, shown: shownSchema }),
  z.object({ type: z.literal('signal'), job: idSchema, signal: z.enum(PASSED_SIGNALS) }),
  z.object({ type: z.literal('checkpoint'), job: idSchema }),
  z.object({ type: z.literal('list') }),
]);
export type Request = z.infer<typeof requestSchema>;

export type Reply =
  /** The job is known here; what follows is its output. */
  | { readonly type: 'attached'; readonly job: string }
  | {
      readonly type: 'output';
      readonly stream: 'stdout' | 'stderr';
      /** Of the first byte, in the copy's own log. */
      readonly offset: number;
      /** Base64: output need not be UTF-8. */
      readonly data: string;
    }
  /** Something that the person at the terminal should know. */
  | { readonly type: 'note'; readonly text: string }
  | { readonly type: 'end'; readonly exitCode: number; readonly message: string | null }
  /** The answer to `checkpoint`. */
  | { readonly type: 'done'; readonly ok: boolean; readonly message: string }
  | { readonly type: 'jobs'; readonly jobs: readonly { readonly id: string; readonly phase: string }[] };

/** A sentence where the line is not a request. */
export function readRequest(line: string): Request | { readonly fault: string } {
  let json: unknown;
  try {
    json = JSON.parse(line);
  } catch {
    return { fault: 'the line is not JSON' };
  }
  const parsed = requestSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  return { fault: `${issue?.path.join('.') || 'request'}: ${issue?.message ?? 'not valid'}` };
}
