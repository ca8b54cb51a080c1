/**
 * What this machine is to its cloud: made from the documents of the EC2 instance metadata service, or made up, always
 * the same for the same machine, where there is no cloud. Pure.
 */
import { createHash } from 'node:crypto';
import { idSchema } from '../../src/protocol/id.ts';
import { tryParseTimestamp } from '../../src/protocol/timestamp.ts';

export interface Instance {
  readonly cloud: string;
  readonly zone: string;
  readonly instanceId: string;
  readonly instanceType: string;
  readonly region: string;
  readonly createTime: string | null;
  readonly payType: string;
}

/** Texts of the metadata service; undefined where it had none. */
export interface MetadataTexts {
  readonly instanceId: string | undefined;
  readonly instanceType: string | undefined;
  readonly zone: string | undefined;
  readonly region: string | undefined;
  readonly lifeCycle: string | undefined;
  readonly identityDocument: string | undefined;
}

/** Null where the answers are not those of an EC2 instance: another cloud, or a proxy, answers at the same address. */
export function ec2InstanceOf(texts: MetadataTexts): Instance | null {
  const { instanceId, zone } = texts;
  if (instanceId === undefined || !/^i-[0-9a-f]+$/.test(instanceId)) return null;
  const document = tryParseObject(texts.identityDocument);
  const pendingTime = document['pendingTime'];
  const isTime = typeof pendingTime === 'string' && tryParseTimestamp(pendingTime) !== undefined;
  return {
    cloud: 'aws',
    instanceId,
    instanceType: texts.instanceType ?? '',
    zone: zone ?? '',
    region: texts.region ?? zone?.replace(/[a-z]$/, '') ?? '',
    createTime: isTime ? pendingTime : null,
    payType: payTypeOf(texts.lifeCycle ?? ''),
  };
}

/** `spot` is Spot, `on-demand` is OnDemand; a life cycle that EC2 adds keeps its name in the same manner. */
function payTypeOf(lifeCycle: string): string {
  return lifeCycle
    .split('-')
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('');
}

/**
 * `nodeId` is what `--id` says: agents with different ids on one machine are different nodes, and a server takes no instance
 * twice. `bootSeconds` stands for the instance's birth: a machine without a cloud has no other one that means something. */
export function localInstanceOf(machineId: string, nodeId: string | null, bootSeconds: number | null): Instance {
  const name = nodeId === null ? machineId : `${machineId}/${nodeId}`;
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 12);
  return {
    cloud: 'local',
    instanceId: `local-${digest}`,
    instanceType: 'local',
    zone: 'local',
    region: 'local',
    createTime: bootSeconds === null ? null : new Date(bootSeconds * 1_000).toISOString(),
    payType: 'OnDemand',
  };
}

/** The content of /etc/machine-id, or null where it is none (images are shipped with it empty or `uninitialized`). */
export function tryMachineId(text: string): string | null {
  const id = text.trim().toLowerCase();
  return /^[0-9a-f]{32}$/.test(id) && !/^0+$/.test(id) ? id : null;
}

/** An instance that an earlier start of the agent kept, if it is of this boot. */
export function keptInstanceOf(text: string, bootId: string): Instance | null {
  const { bootId: keptBootId, instance } = tryParseObject(text);
  if (bootId === '' || keptBootId !== bootId || typeof instance !== 'object' || instance === null) return null;
  const { instanceId } = instance as Partial<Instance>;
  return idSchema.safeParse(instanceId).success ? (instance as Instance) : null;
}

function tryParseObject(text: string | undefined): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
