/**
 * What is asked of EC2 about volumes and snapshots: the door to its SDK, which is loaded when the first volume needs it.
 * Credentials come from where the SDK finds them (environment, files, the instance's role); `AWS_ENDPOINT_URL_EC2` and
 * `AWS_ENDPOINT_URL` name another endpoint.
 */
import type { EC2Client, Tag, TagSpecification, Volume, VolumeType } from '@aws-sdk/client-ec2';

export interface Ec2Volume {
  readonly id: string;
  readonly state: string;
  readonly sizeGB: number | null;
  readonly diskType: string | null;
  readonly throughputMB: number | null;
  readonly tags: Readonly<Record<string, string>>;
  /** Of the attachment; null where there is none. */
  readonly instanceId: string | null;
  readonly device: string | null;
  readonly isAttached: boolean;
}

export interface Ec2NewVolume extends Pick<Ec2Volume, 'sizeGB' | 'diskType' | 'throughputMB' | 'tags'> {
  readonly zone: string;
  readonly snapshot?: string;
  readonly token: string;
}

export interface Ec2Calls {
  createVolume(wanted: Ec2NewVolume): Promise<string>;
  /** Null where there is no such volume. */
  volume(id: string): Promise<Ec2Volume | null>;
  devicesOf(instanceId: string): Promise<string[]>;
  attachVolume(id: string, instanceId: string, device: string): Promise<void>;
  detachVolume(id: string, instanceId: string, force: boolean): Promise<void>;
  deleteVolume(id: string): Promise<void>;
  createSnapshot(id: string, tags: Readonly<Record<string, string>>): Promise<string>;
  deleteSnapshot(id: string): Promise<void>;
  /** Whether there are credentials to ask with. */
  hasCredentials(): Promise<boolean>;
}

const CONNECT_MS = 3_000;
const REQUEST_MS = 15_000;
/** io1 and io2 want a number: what EC2 gives gp2 a gigabyte, times ten. */
const IOPS_PER_GB = 30;
const IOPS = { min: 100, max: 16_000 } as const;
/** The SDK takes no longer token. */
const TOKEN_LENGTH_MAX = 64;

type Sdk = typeof import('@aws-sdk/client-ec2');

interface Opened {
  readonly sdk: Sdk;
  readonly client: EC2Client;
}

export class Ec2 implements Ec2Calls {
  readonly #region: string;
  #opened: Promise<Opened> | null = null;

  /** Empty: whatever the SDK finds. */
  constructor(region: string) {
    this.#region = region;
  }

  async createVolume({ zone, sizeGB, diskType, throughputMB, tags, snapshot, token }: Ec2NewVolume): Promise<string> {
    const { sdk, client } = await this.#open();
    const size = sizeGB ?? undefined;
    const command = new sdk.CreateVolumeCommand({
      AvailabilityZone: zone,
      Size: size,
      VolumeType: (diskType ?? 'gp3') as VolumeType,
      ...(diskType === 'gp3' && throughputMB !== null ? { Throughput: throughputMB } : {}),
      ...(diskType === 'io1' || diskType === 'io2' ? { Iops: iopsOf(size ?? 1) } : {}),
      ...(snapshot === undefined ? {} : { SnapshotId: snapshot }),
      ClientToken: token.slice(-TOKEN_LENGTH_MAX),
      TagSpecifications: tagged('volume', tags),
    });
    const { VolumeId } = await client.send(command);
    if (VolumeId === undefined) throw new Error('EC2 names no volume in its answer to CreateVolume');
    return VolumeId;
  }

  async volume(id: string): Promise<Ec2Volume | null> {
    const { sdk, client } = await this.#open();
    try {
      const { Volumes } = await client.send(new sdk.DescribeVolumesCommand({ VolumeIds: [id] }));
      const [volume] = Volumes ?? [];
      return volume && volume.State !== 'deleted' && volume.State !== 'deleting' ? volumeOf(id, volume) : null;
    } catch (error) {
      if (isGone(error)) return null;
      throw error;
    }
  }

  async devicesOf(instanceId: string): Promise<string[]> {
    const { sdk, client } = await this.#open();
    const Filters = [{ Name: 'attachment.instance-id', Values: [instanceId] }];
    const { Volumes } = await client.send(new sdk.DescribeVolumesCommand({ Filters }));
    const attachments = (Volumes ?? []).flatMap((volume) => volume.Attachments ?? []);
    return attachments.flatMap(({ InstanceId, Device }) => (InstanceId === instanceId && Device ? [Device] : []));
  }

  async attachVolume(VolumeId: string, InstanceId: string, Device: string): Promise<void> {
    const { sdk, client } = await this.#open();
    await client.send(new sdk.AttachVolumeCommand({ VolumeId, InstanceId, Device }));
  }

  async detachVolume(VolumeId: string, InstanceId: string, Force: boolean): Promise<void> {
    const { sdk, client } = await this.#open();
    await client.send(new sdk.DetachVolumeCommand({ VolumeId, InstanceId, Force }));
  }

  async deleteVolume(VolumeId: string): Promise<void> {
    const { sdk, client } = await this.#open();
    await client.send(new sdk.DeleteVolumeCommand({ VolumeId }));
  }

  async createSnapshot(VolumeId: string, tags: Readonly<Record<string, string>>): Promise<string> {
    const { sdk, client } = await this.#open();
    const TagSpecifications = tagged('snapshot', tags);
    const { SnapshotId } = await client.send(new sdk.CreateSnapshotCommand({ VolumeId, TagSpecifications }));
    if (SnapshotId === undefined) throw new Error('EC2 names no snapshot in its answer to CreateSnapshot');
    return SnapshotId;
  }

  async deleteSnapshot(SnapshotId: string): Promise<void> {
    const { sdk, client } = await this.#open();
    await client.send(new sdk.DeleteSnapshotCommand({ SnapshotId }));
  }

  async hasCredentials(): Promise<boolean> {
    const { client } = await this.#open();
    return client.config.credentials().then(
      () => true,
      () => false,
    );
  }

  #open(): Promise<Opened> {
    this.#opened ??= import('@aws-sdk/client-ec2').then((sdk) => {
      const requestHandler = { connectionTimeout: CONNECT_MS, requestTimeout: REQUEST_MS };
      const region = this.#region === '' ? {} : { region: this.#region };
      return { sdk, client: new sdk.EC2Client({ ...region, maxAttempts: 3, requestHandler }) };
    });
    return this.#opened;
  }
}

/** The volume or snapshot does not exist any more. */
export function isGone(error: unknown): boolean {
  return /^Invalid(Volume|Snapshot)\.NotFound$/.test((error as { readonly name?: string }).name ?? '');
}

function volumeOf(id: string, { State, Size, VolumeType: type, Throughput, Tags, Attachments }: Volume): Ec2Volume {
  const attachment = (Attachments ?? []).find(({ State: state }) => state !== 'detached');
  return {
    id,
    state: State ?? 'unknown',
    sizeGB: Size ?? null,
    diskType: type ?? null,
    throughputMB: Throughput ?? null,
    tags: Object.fromEntries((Tags ?? []).flatMap(({ Key, Value }) => (Key ? [[Key, Value ?? ''] as const] : []))),
    instanceId: attachment?.InstanceId ?? null,
    device: attachment?.Device ?? null,
    isAttached: attachment?.State === 'attached',
  };
}

function tagged(type: TagSpecification['ResourceType'], tags: Readonly<Record<string, string>>): TagSpecification[] {
  // Names that begin so are the cloud's own, and refused.
  const own = Object.entries(tags).filter(([key]) => !key.startsWith('aws:'));
  return [{ ResourceType: type, Tags: own.map(([Key, Value]): Tag => ({ Key, Value })) }];
}

function iopsOf(sizeGB: number): number {
  return Math.min(IOPS.max, Math.max(IOPS.min, sizeGB * IOPS_PER_GB));
}
