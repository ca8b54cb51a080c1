/** Worker nodes: what they send of themselves and what readers get. */
import { z } from 'zod';
import { EXAMPLE_AGENT, EXAMPLE_FACTS, EXAMPLE_INSTANCE, EXAMPLE_TIME } from './examples/examples.ts';
import { idSchema } from './id.ts';
import { NODE_STATES } from './names/node-state.ts';
import { textSchema } from './text.ts';
import { tryParseTimestamp } from './timestamp.ts';

export const timestampSchema = z
  .string()
  .refine(
    (text) => tryParseTimestamp(text) !== undefined,
    'is not an RFC 3339 timestamp in UTC with 0 to 9 fraction digits',
  )
  .meta({
    id: 'Timestamp',
    description: 'A time, RFC 3339 in UTC, with 0 to 9 fraction digits',
    format: 'date-time',
    examples: [EXAMPLE_TIME],
  });

const text = textSchema.nullish();
const count = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER).nullish();
const price = z.number().min(0).max(1e6).nullish();

export const instanceSchema = z
  .object({
    zone: text,
    instanceId: text,
    instanceType: text,
    region: text,
    createTime: timestampSchema.nullish(),
    payType: text,
    pricePerHour: price.describe('Price of this instance, USD per hour'),
    onDemandPricePerHour: price.describe('On-demand price of this instance, USD per hour'),
  })
  .meta({
    id: 'InstanceReport',
    description: 'The cloud instance of a worker node, as its agent reports it',
    examples: [EXAMPLE_INSTANCE],
  });

/** What the agent says of itself when it registers. */
export const agentFactsSchema = z
  .object({
    version: text,
    time: timestampSchema.nullish().describe('The agent’s clock when it sent the registration'),
    engine: text.describe('What takes the checkpoints: criu, podman or none'),
    canCheckpoint: z.boolean().nullish(),
    reason: text.describe('Why it cannot checkpoint'),
    saveMBps: z.number().min(0).max(1e9).nullish().describe('Measured by its last checkpoint'),
  })
  .meta({
    id: 'AgentReport',
    description: 'What the agent says of itself when it registers',
    examples: [{ ...EXAMPLE_AGENT, time: EXAMPLE_TIME }],
  });

/** Body of PUT /api/v1/node/{id}. Unknown fields are ignored. */
export const nodeRegistrationSchema = z
  .object({
    id: idSchema.nullish(),
    ips: z.array(textSchema).max(64).nullish(),
    hostName: text,
    cloud: text,
    arch: text,
    cores: count,
    cpuModel: text,
    cpuVendor: text,
    memoryInMB: count,
    instance: instanceSchema.nullish(),
    agent: agentFactsSchema.nullish(),
  })
  .meta({
    id: 'NodeRegistration',
    description: 'A worker node, as its agent registers it; unknown fields are ignored',
    examples: [{ ...EXAMPLE_FACTS, agent: { ...EXAMPLE_AGENT, time: EXAMPLE_TIME } }],
  });

export type NodeRegistration = z.infer<typeof nodeRegistrationSchema>;

export interface NodeInstance {
  readonly zone: string;
  readonly instanceId: string;
  readonly instanceType: string;
  readonly region: string;
  readonly createTime?: string;
  readonly payType: string;
  readonly pricePerHour?: number;
  readonly onDemandPricePerHour?: number;
}

/** Only what the agent has sent, and what the server made of its clock. */
export interface NodeAgent {
  readonly version?: string;
  readonly engine?: string;
  readonly canCheckpoint?: boolean;
  readonly reason?: string;
  readonly saveMBps?: number;
  /** Milliseconds by which the node's clock was ahead of the server's at its registration. */
  readonly clockDifferenceMs?: number;
}

/** The static facts of a node, every field present that interface.md lists. */
export interface NodeFacts {
  readonly id: string;
  readonly ips: readonly string[];
  readonly hostName: string;
  readonly cloud: string;
  readonly arch: string;
  readonly cores: number;
  readonly cpuModel: string;
  readonly cpuVendor: string;
  readonly memoryInMB: number;
  readonly instance: NodeInstance;
  readonly agent?: NodeAgent;
}

/** Body of POST /api/v1/node/{id}/interruption. */
export const interruptionSchema = z
  .object({
    action: textSchema.min(1).describe('What the cloud will do: stop, terminate, hibernate, preempt, …'),
    time: timestampSchema.describe('When the cloud will do it'),
  })
  .meta({
    id: 'Interruption',
    description: 'A notice of the cloud that it will reclaim the machine',
    examples: [{ action: 'terminate', time: EXAMPLE_TIME }],
  });
/** The cloud's notice that it takes the machine back. */
export interface Interruption {
  readonly action: string;
  readonly time: string;
  /** When the first notice reached the server; absent in records of before it was kept. */
  readonly receivedAt?: string;
}

/** As reclaims tell it. */
export const noticeSchema = interruptionSchema
  .extend({ receivedAt: timestampSchema.optional().describe('When the server received the first notice') })
  .meta({
    id: 'InterruptionNotice',
    description: 'A notice of the cloud that it will reclaim the machine, and when it came',
    examples: [{ action: 'terminate', time: EXAMPLE_TIME, receivedAt: EXAMPLE_TIME }],
  });

export { NODE_STATES, type NodeState } from './names/node-state.ts';

const nodeInstanceSchema = z
  .object({
    zone: z.string(),
    instanceId: z.string(),
    instanceType: z.string(),
    region: z.string(),
    createTime: timestampSchema.optional(),
    payType: z.string(),
    pricePerHour: z.number().optional(),
    onDemandPricePerHour: z.number().optional(),
  })
  .meta({ id: 'Instance', description: 'The cloud instance of a worker node', examples: [EXAMPLE_INSTANCE] });

const nodeAgentSchema = z
  .object({
    version: z.string().optional(),
    engine: z.string().optional(),
    canCheckpoint: z.boolean().optional(),
    reason: z.string().optional(),
    saveMBps: z.number().optional(),
    clockDifferenceMs: z.number().int().optional(),
  })
  .meta({
    id: 'Agent',
    description: 'The agent of a worker node',
    examples: [{ ...EXAMPLE_AGENT, clockDifferenceMs: 12 }],
  });

export const workerNodeSchema = z
  .object({
    id: idSchema,
    ips: z.array(z.string()),
    hostName: z.string(),
    cloud: z.string(),
    arch: z.string(),
    cores: z.number().int(),
    cpuModel: z.string(),
    cpuVendor: z.string(),
    memoryInMB: z.number().int(),
    instance: nodeInstanceSchema,
    agent: nodeAgentSchema.optional().describe('What the agent said of itself when it registered'),
    lastHeartbeat: timestampSchema,
    state: z.enum(NODE_STATES),
    drained: z.literal(true).optional().describe('The node must accept no new jobs'),
    interruption: interruptionSchema.optional().describe('The cloud’s notice that it will reclaim the machine'),
    endedAt: timestampSchema.optional().describe('When the server declared the node lost, or the node deregistered'),
  })
  .meta({
    id: 'WorkerNode',
    description: 'A worker node',
    examples: [
      {
        ...EXAMPLE_FACTS,
        agent: { ...EXAMPLE_AGENT, clockDifferenceMs: 12 },
        lastHeartbeat: EXAMPLE_TIME,
        state: 'alive',
      },
    ],
  });
export const nodeListSchema = z.array(workerNodeSchema).meta({
  id: 'NodeList',
  description: 'Worker nodes',
  examples: [
    [
      {
        ...EXAMPLE_FACTS,
        agent: { ...EXAMPLE_AGENT, clockDifferenceMs: 12 },
        lastHeartbeat: EXAMPLE_TIME,
        state: 'alive',
      },
    ],
  ],
});
export type WorkerNode = z.infer<typeof workerNodeSchema>;

/** `nowMs` is the server's wall clock; the agent's is compared with it. */
export function factsOf(id: string, sent: NodeRegistration, nowMs?: number): NodeFacts {
  const instance = sent.instance ?? {};
  return {
    id,
    ips: sent.ips ?? [],
    hostName: sent.hostName ?? '',
    cloud: sent.cloud ?? '',
    arch: sent.arch ?? '',
    cores: sent.cores ?? 0,
    cpuModel: sent.cpuModel ?? '',
    cpuVendor: sent.cpuVendor ?? '',
    memoryInMB: sent.memoryInMB ?? 0,
    instance: {
      zone: instance.zone ?? '',
      instanceId: instance.instanceId ?? '',
      instanceType: instance.instanceType ?? '',
      region: instance.region ?? '',
      ...(typeof instance.createTime === 'string' ? { createTime: instance.createTime } : {}),
      payType: instance.payType ?? '',
      ...(typeof instance.pricePerHour === 'number' ? { pricePerHour: instance.pricePerHour } : {}),
      ...(typeof instance.onDemandPricePerHour === 'number'
        ? { onDemandPricePerHour: instance.onDemandPricePerHour }
        : {}),
    },
    ...(sent.agent ? { agent: agentOf(sent.agent, nowMs) } : {}),
  };
}

function agentOf({ time, ...sent }: z.infer<typeof agentFactsSchema>, nowMs?: number): NodeAgent {
  const facts = Object.entries(sent).filter(([, value]) => value !== null && value !== undefined);
  const difference = time && nowMs !== undefined ? { clockDifferenceMs: Math.round(Date.parse(time) - nowMs) } : {};
  return { ...Object.fromEntries(facts), ...difference };
}

const PAY_TYPE = /"payType":("(?:[^"\\]|\\.)*")/;

/** The pay type in a node's facts as JSON, without parsing all of them. A quotation mark inside a text has a backslash before it. */
export function payTypeIn(factsJson: string): string {
  const text = PAY_TYPE.exec(factsJson)?.[1];
  return text === undefined ? '' : (JSON.parse(text) as string);
}
