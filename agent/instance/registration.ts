/** What the node says of itself when it registers: the machine, its cloud instance, its prices, and what its agent can do. */
import type { NodeRegistration } from '../../src/protocol/node.ts';
import { readHostFacts } from '../host/host-facts.ts';
import type { Instance } from './instance.ts';

/** What the agent can do for jobs. */
export interface AgentFacts {
  readonly engine: string;
  readonly canCheckpoint: boolean;
  /** Measured by the last save. */
  readonly saveMBps?: number;
}

export interface RegistrationParts {
  readonly nodeId: string;
  readonly instance: Instance;
  readonly pricePerHour: number | null;
  readonly onDemandPricePerHour: number | null;
  readonly agent: AgentFacts;
}

export function registrationOf(parts: RegistrationParts): NodeRegistration & { readonly agent: AgentFacts } {
  const { instance, nodeId, pricePerHour, onDemandPricePerHour, agent } = parts;
  const { cloud, createTime, ...rest } = instance;
  const { ips, ...host } = readHostFacts();
  return {
    id: nodeId,
    ips: [...ips],
    ...host,
    cloud,
    agent,
    instance: {
      ...rest,
      ...(createTime === null ? {} : { createTime }),
      ...(pricePerHour === null ? {} : { pricePerHour }),
      ...(onDemandPricePerHour === null ? {} : { onDemandPricePerHour }),
    },
  };
}
