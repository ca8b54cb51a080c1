/** Claims a job on the server and in its image folder, so that both have the same epoch. */

import { numberIn, objectIn, type Reply, textIn } from '../link/reply.ts';
import { type Claims, type EndedStatus, folderVerdict } from './claims.ts';

export interface ClaimRequest {
  readonly nodeId: string;
  readonly jobId: string;
  readonly queueName: string;
  readonly nodeTtlMs: number;
  /** PUT /api/v1/job/{id}/claim. */
  readonly ask: (body: object) => Promise<Reply>;
  readonly claims: Claims;
  readonly images: () => Promise<readonly string[]>;
  readonly nowMs: () => number;
  /** The highest epoch that this node knows of the job by itself. */
  readonly knownEpoch: number;
}

export type ClaimOutcome =
  | {
      readonly kind: 'taken';
      readonly epoch: number;
      /** How the job ended before; null if it did not end, or if that is unknown. */
      readonly ended: EndedStatus | null;
      /** Server or folder know more of the job than this node. */
      readonly isKnown: boolean;
      /** Why the folder holds no claim; then no image can be made or restored. */
      readonly folderFault: string | null;
    }
  | { readonly kind: 'held'; readonly message: string }
  /** The server says no for another reason. */
  | { readonly kind: 'refused'; readonly message: string };

/** Two nodes that race for a folder change places a few times at most. */
const TRIES_MAX = 8;

export async function takeClaim(request: ClaimRequest): Promise<ClaimOutcome> {
  const { claims, nodeId, jobId, queueName, nodeTtlMs, nowMs } = request;
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const folder = await lookAt(claims);
    const minEpoch = Math.max(folder.highest, request.knownEpoch) + 1;
    const reply = await request.ask({ nodeId, queueName, minEpoch });
    const server = serverAnswer(reply);
    if (server.kind === 'held' || server.kind === 'refused') return server;
    if (server.kind === 'none' && folder.newest) {
      const verdict = folderVerdict(folder.newest, folder.ended !== null, nodeId, nodeTtlMs, nowMs());
      if (verdict === 'held') {
        const message = `job ${jobId} is claimed by node ${folder.newest.nodeId} (epoch ${folder.newest.epoch})`;
        return { kind: 'held', message };
      }
    }
    const epoch = server.kind === 'given' ? Math.max(server.epoch, 1) : minEpoch;
    const ended = (server.kind === 'given' ? server.ended : null) ?? folder.ended;
    const isKnown = server.kind === 'given' || folder.highest > request.knownEpoch;
    const taken = { kind: 'taken', epoch, ended, isKnown } as const;
    if (folder.fault !== null) return { ...taken, folderFault: folder.fault };
    try {
      if (await claims.take(epoch, nodeId, await request.images())) return { ...taken, folderFault: null };
    } catch (error) {
      return { ...taken, folderFault: (error as Error).message };
    }
  }
  return { kind: 'held', message: `job ${jobId} is being claimed by other nodes` };
}

async function lookAt(claims: Claims) {
  try {
    const highest = (await claims.epochs()).at(-1) ?? 0;
    const newest = highest === 0 ? null : await claims.read(highest);
    return { highest, newest, ended: (await claims.ended())?.status ?? null, fault: null };
  } catch (error) {
    return { highest: 0, newest: null, ended: null, fault: (error as Error).message };
  }
}

type ServerAnswer =
  | { readonly kind: 'given'; readonly epoch: number; readonly ended: EndedStatus | null }
  | { readonly kind: 'held' | 'refused'; readonly message: string }
  /** It is away, or too old to know claims: the folder alone decides. */
  | { readonly kind: 'none' };

const ENDED: readonly string[] = ['Succeeded', 'Failed', 'Stopped'];

export function serverAnswer(reply: Reply): ServerAnswer {
  if (reply.kind === 'unreachable' || reply.status >= 500 || reply.status === 404 || reply.status === 405)
    return { kind: 'none' };
  const message = textIn(reply.json, 'message') ?? `HTTP ${reply.status}`;
  if (reply.status === 409) {
    const fields = objectIn(reply.json, 'fields');
    const holder = textIn(fields, 'nodeId');
    const epoch = numberIn(fields, 'epoch');
    return {
      kind: 'held',
      message: holder === undefined ? message : `the job is claimed by node ${holder} (epoch ${epoch})`,
    };
  }
  if (reply.status < 200 || reply.status > 299) {
    return reply.status === 429
      ? { kind: 'none' }
      : { kind: 'refused', message: `the server refuses the claim: ${message}` };
  }
  const status = textIn(reply.json, 'status');
  const ended = ENDED.includes(status ?? '') ? (status as EndedStatus) : null;
  return { kind: 'given', epoch: numberIn(reply.json, 'epoch') ?? 0, ended };
}
