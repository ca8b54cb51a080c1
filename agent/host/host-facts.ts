/** The static facts of this machine, as registration sends them; those of its cloud instance come from `instance/`. */
import { cpus, hostname, machine, type NetworkInterfaceInfo, networkInterfaces, totalmem } from 'node:os';
import { cpuIdentityOf } from './cpu-identity.ts';
import { tryRead } from './probe.ts';
import { memoryKbOf } from './proc-text.ts';

export interface HostFacts {
  readonly ips: readonly string[];
  readonly hostName: string;
  readonly arch: string;
  readonly cores: number;
  readonly cpuModel: string;
  readonly cpuVendor: string;
  readonly memoryInMB: number;
}

/** The protocol's bound of addresses of a node. Overflow policy: the first ones, IPv4 before IPv6. */
const IPS_MAX = 64;

/** Read again at each registration, because addresses come and go. */
export function readHostFacts(): HostFacts {
  const known = cpus();
  const cpu = cpuIdentityOf(tryRead('/proc/cpuinfo'), { cores: known.length, model: known[0]?.model.trim() ?? '' });
  const memoryKb = memoryKbOf(tryRead('/proc/meminfo'))?.total ?? totalmem() / 1_024;
  return {
    ips: addressesOf(Object.values(networkInterfaces()).flatMap((infos) => infos ?? [])),
    hostName: hostname(),
    arch: machine(),
    cores: cpu.cores,
    cpuModel: cpu.model,
    cpuVendor: cpu.vendor,
    memoryInMB: Math.floor(memoryKb / 1_024),
  };
}

/** Addresses that others may reach; loopback only where there is nothing else. */
export function addressesOf(infos: readonly Pick<NetworkInterfaceInfo, 'address' | 'family' | 'internal'>[]): string[] {
  const outer = infos.filter(({ internal }) => !internal);
  const chosen = outer.length > 0 ? outer : infos;
  const ofFamily = (family: string): string[] =>
    chosen.filter((info) => info.family === family).map(({ address }) => address);
  return [...new Set([...ofFamily('IPv4'), ...ofFamily('IPv6')])].slice(0, IPS_MAX);
}
