/**
 * The canonical workload: what every figure of ours stands for. Nodes of a mid-sized fleet, beating with three metrics.
 *
 * A heartbeat's body is about 90 bytes, as `cairn agent` sends it; ids have the length of an EC2 instance id. Everything
 * about a node follows from its number and the seed, so that two processes and two runs mean the same bytes.
 */
import { seededRandom } from '../../src/base/random.ts';

export const CANONICAL = { nodes: 1_000, connections: 64, seed: 42 } as const;

export interface BenchNode {
  readonly id: string;
  readonly path: string;
}

export function benchNode(number: number): BenchNode {
  const id = `i-${(0x0abc00000000 + number * 7919).toString(16).padStart(17, '0')}`;
  return { id, path: `/api/v1/node/${id}/heartbeat` };
}

export interface BeatMetrics {
  readonly cpuPercent: number;
  readonly memoryUsedMB: number;
  readonly diskUsedMB: number;
}

/** The same node always reports the same values. */
export function beatMetrics(number: number, seed: number = CANONICAL.seed): BeatMetrics {
  const random = seededRandom(seed + number);
  return {
    cpuPercent: Math.round(random.between(0, 10_000)) / 100,
    memoryUsedMB: random.int(16_384),
    diskUsedMB: random.int(512_000),
  };
}

export function registrationOf(node: BenchNode): object {
  return {
    ips: ['10.0.0.1'],
    hostName: `host-${node.id}`,
    cloud: 'aws',
    arch: 'x86_64',
    cores: 8,
    cpuModel: 'Intel(R) Xeon(R) Platinum 8259CL CPU @ 2.50GHz',
    cpuVendor: 'GenuineIntel',
    memoryInMB: 16_384,
    instance: {
      zone: 'us-east-1a',
      instanceId: node.id,
      instanceType: 'm5.2xlarge',
      region: 'us-east-1',
      createTime: '2026-11-01T10:00:00Z',
      payType: 'Spot',
    },
  };
}
