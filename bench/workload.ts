/**
 * The canonical workload: what every figure of ours stands for. Nodes of a mid-sized fleet, beating with three metrics.
 *
 * A heartbeat's body is about 90 bytes, as `cairn agent` sends it; ids have the length of an EC2 instance id.
 */
import { seededRandom } from '../src/base/random.ts';

export const CANONICAL = { nodes: 1_000, connections: 64, seed: 42 } as const;

export interface BenchNode {
  readonly id: string;
  readonly path: string;
}

export function benchNodes(count: number): BenchNode[] {
  return Array.from({ length: count }, (_, i) => {
    const id = `i-${(0x0abc00000000 + i * 7919).toString(16).padStart(17, '0')}`;
    return { id, path: `/api/v1/node/${id}/heartbeat` };
  });
}

/** Bodies to cycle through; the same seed gives the same bytes. */
export function beatBodies(count: number, seed: number = CANONICAL.seed): string[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, () =>
    JSON.stringify({
      metrics: {
        cpuPercent: Math.round(random.between(0, 10_000)) / 100,
        memoryUsedMB: random.int(16_384),
        diskUsedMB: random.int(512_000),
      },
    }),
  );
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
