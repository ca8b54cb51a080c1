/** Who made the processor and which one it is. x86 says so in /proc/cpuinfo; ARM gives two numbers. */
export interface CpuIdentity {
  /** Logical processors. */
  readonly cores: number;
  readonly model: string;
  /** Empty where the machine does not tell. */
  readonly vendor: string;
}

/** `CPU implementer` of /proc/cpuinfo, from the MIDR register's list of the ARM architecture manual and the kernel's. */
const IMPLEMENTERS: Readonly<Record<string, string>> = {
  '0x41': 'ARM',
  '0x42': 'Broadcom',
  '0x43': 'Cavium',
  '0x46': 'Fujitsu',
  '0x48': 'HiSilicon',
  '0x4e': 'NVIDIA',
  '0x50': 'APM',
  '0x51': 'Qualcomm',
  '0x61': 'Apple',
  '0x6d': 'Microsoft',
  '0xc0': 'Ampere',
};

/** `CPU part` of the ARM designs that clouds offer (Graviton is N1, V1 and V2). */
const ARM_PARTS: Readonly<Record<string, string>> = {
  '0xd08': 'Cortex-A72',
  '0xd0c': 'Neoverse-N1',
  '0xd40': 'Neoverse-V1',
  '0xd49': 'Neoverse-N2',
  '0xd4f': 'Neoverse-V2',
  '0xd83': 'Neoverse-V3AE',
  '0xd84': 'Neoverse-V3',
  '0xd8e': 'Neoverse-N3',
};

/** `fallback` is what the runtime knows, for what the text does not say. */
export function cpuIdentityOf(cpuinfo: string, fallback: Omit<CpuIdentity, 'vendor'>): CpuIdentity {
  const field = (name: string): string | undefined =>
    new RegExp(`^${name}[ \\t]*: *(.*)$`, 'm').exec(cpuinfo)?.[1]?.trim();
  const implementer = field('CPU implementer')?.toLowerCase();
  const part = field('CPU part')?.toLowerCase();
  const vendor = field('vendor_id') ?? IMPLEMENTERS[implementer ?? ''] ?? '';
  const armModel = implementer === '0x41' ? ARM_PARTS[part ?? ''] : undefined;
  const processors = cpuinfo.match(/^processor[ \t]*:/gm)?.length ?? 0;
  return {
    cores: processors > 0 ? processors : fallback.cores,
    model: field('model name') ?? armModel ?? fallback.model,
    vendor,
  };
}
