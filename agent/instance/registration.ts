/** What the node says of itself when it registers: the machine, its cloud instance, its prices, and what its agent can do. */
import { VERSION } from '../../src/base/version.ts';
import type { NodeRegistration } from '../../src/protocol/node.ts';
import { readHostFacts } from '../host/host-facts.ts';
import type { Instance } from './instance.ts';

/** What the agent can do for jobs. */
export interface AgentFacts {
  readonly engine: string;
  readonly canCheckpoint: boolean;
  /** Why it cannot checkpoint. */
  readonly reason?: string;
  /** Measured by the last save. */
  readonly saveMBps?: number;
}

export interface RegistrationParts {
  readonly nodeId: string;
  readonly instance: Instance;
  readonly pricePerHour: number | null;
  readonly onDemandPricePerHour: number | null;
  readonly agent: AgentFacts;
  /** The clock of this machine. */
  readonly wallMs: number;
}

export function registrationOf(parts: RegistrationParts): NodeRegistration {
  const { instance, nodeId, pricePerHour, onDemandPricePerHour, agent, wallMs } = parts;
  const { cloud, createTime, ...rest } = instance;
  const { ips, ...host } = readHostFacts();
  return {
    id: nodeId,
    ips: [...ips],
    ...host,
    cloud,
    agent: { ...agent, version: VERSION, time: new Date(wallMs).toISOString() },
    instance: {
      ...rest,
      ...(createTime === null ? {} : { createTime }),
      ...(pricePerHour === null ? {} : { pricePerHour }),
      ...(onDemandPricePerHour === null ? {} : { onDemandPricePerHour }),
    },
  };
}
