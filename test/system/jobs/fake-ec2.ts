/**
 * A played EC2: volumes and snapshots by its query interface, enough for the volume driver. The "device" of a volume is a
 * sparse file, so that what a job writes really lies on it, and a snapshot is a copy of that file.
 */
import { copyFile, truncate, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

export interface FakeVolume {
  readonly id: string;
  readonly zone: string;
  readonly sizeGB: number;
  readonly type: string;
  readonly throughput: string | null;
  readonly iops: string | null;
  readonly tags: Record<string, string>;
  instanceId: string | null;
}

const MIB = 1_048_576;

export class FakeEc2 {
  readonly volumes = new Map<string, FakeVolume>();
  readonly snapshots = new Map<string, string>();
  /** Names of the calls, in order, without those that only look. */
  readonly calls: string[] = [];
  /** An action → why it is refused. */
  readonly refused = new Map<string, string>();
  readonly #folder: string;
  readonly #server: Server;
  readonly #byToken = new Map<string, string>();
  #count = 0;

  private constructor(folder: string) {
    this.#folder = folder;
    this.#server = createServer((request, response) => {
      void bodyOf(request).then(async (form) => {
        try {
          const answer = await this.#answer(form);
          response.writeHead(200, { 'content-type': 'text/xml' }).end(answer);
        } catch (error) {
          const [code, text] = (error as Error).message.split(': ');
          const body = `<Response><Errors><Error><Code>${code}</Code><Message>${text}</Message></Error></Errors></Response>`;
          response.writeHead(400, { 'content-type': 'text/xml' }).end(body);
        }
      });
    });
  }

  static async start(folder: string): Promise<FakeEc2> {
    const fake = new FakeEc2(folder);
    await new Promise<void>((resolve) => fake.#server.listen(0, '127.0.0.1', resolve));
    return fake;
  }

  /** For an agent: where EC2 is, and credentials. */
  get env(): Record<string, string> {
    const { port } = this.#server.address() as AddressInfo;
    return {
      AWS_ENDPOINT_URL_EC2: `http://127.0.0.1:${port}`,
      AWS_ACCESS_KEY_ID: 'AKIDPLAYED',
      AWS_SECRET_ACCESS_KEY: 'played',
    };
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  device(id: string): string {
    return join(this.#folder, `${id}.img`);
  }

  async #answer(form: URLSearchParams): Promise<string> {
    const action = form.get('Action') ?? '';
    const fault = this.refused.get(action);
    if (!action.startsWith('Describe')) this.calls.push(action);
    if (fault !== undefined) throw new Error(fault);
    const id = form.get('VolumeId') ?? '';
    switch (action) {
      case 'CreateVolume':
        return `<CreateVolumeResponse><volumeId>${await this.#create(form)}</volumeId></CreateVolumeResponse>`;
      case 'DescribeVolumes':
        return this.#describe(form);
      case 'AttachVolume':
        this.#volume(id).instanceId = form.get('InstanceId');
        return '<AttachVolumeResponse/>';
      case 'DetachVolume':
        this.#volume(id).instanceId = null;
        return '<DetachVolumeResponse/>';
      case 'DeleteVolume':
        if (this.#volume(id).instanceId !== null) throw new Error('VolumeInUse: it is attached');
        this.volumes.delete(id);
        return '<DeleteVolumeResponse><return>true</return></DeleteVolumeResponse>';
      case 'CreateSnapshot': {
        this.#volume(id);
        const snapshot = `snap-${++this.#count}`;
        await copyFile(this.device(id), this.device(snapshot));
        this.snapshots.set(snapshot, id);
        return `<CreateSnapshotResponse><snapshotId>${snapshot}</snapshotId></CreateSnapshotResponse>`;
      }
      case 'DeleteSnapshot':
        if (!this.snapshots.delete(form.get('SnapshotId') ?? '')) throw new Error('InvalidSnapshot.NotFound: no such');
        return '<DeleteSnapshotResponse/>';
      default:
        throw new Error(`InvalidAction: ${action} is not played`);
    }
  }

  async #create(form: URLSearchParams): Promise<string> {
    const token = form.get('ClientToken') ?? '';
    const known = this.#byToken.get(token);
    if (known) return known;
    const id = `vol-${++this.#count}`;
    const snapshot = form.get('SnapshotId');
    if (snapshot !== null && !this.snapshots.has(snapshot)) throw new Error('InvalidSnapshot.NotFound: no such');
    if (snapshot !== null) await copyFile(this.device(snapshot), this.device(id));
    else {
      await writeFile(this.device(id), '');
      await truncate(this.device(id), 64 * MIB);
    }
    const tags: Record<string, string> = {};
    for (let i = 1; form.has(`TagSpecification.1.Tag.${i}.Key`); i++)
      tags[form.get(`TagSpecification.1.Tag.${i}.Key`) ?? ''] = form.get(`TagSpecification.1.Tag.${i}.Value`) ?? '';
    this.volumes.set(id, {
      id,
      zone: form.get('AvailabilityZone') ?? '',
      sizeGB: Number(form.get('Size')),
      type: form.get('VolumeType') ?? '',
      throughput: form.get('Throughput'),
      iops: form.get('Iops'),
      tags,
      instanceId: null,
    });
    this.#byToken.set(token, id);
    return id;
  }

  #describe(form: URLSearchParams): string {
    const id = form.get('VolumeId.1');
    const instance = form.get('Filter.1.Value.1');
    const wanted = id === null ? [...this.volumes.values()] : [this.#volume(id)];
    const items = wanted
      .filter((volume) => id !== null || volume.instanceId === instance)
      .map((volume) => this.#xml(volume));
    return `<DescribeVolumesResponse><volumeSet>${items.join('')}</volumeSet></DescribeVolumesResponse>`;
  }

  #xml({ id, zone, sizeGB, type, throughput, instanceId, tags }: FakeVolume): string {
    const attachment = `<item><volumeId>${id}</volumeId><instanceId>${instanceId}</instanceId><device>${this.device(id)}</device><status>attached</status></item>`;
    const tagSet = Object.entries(tags).map(([key, value]) => `<item><key>${key}</key><value>${value}</value></item>`);
    return `<item><volumeId>${id}</volumeId><size>${sizeGB}</size><availabilityZone>${zone}</availabilityZone><volumeType>${type}</volumeType>${
      throughput === null ? '' : `<throughput>${throughput}</throughput>`
    }<status>${instanceId === null ? 'available' : 'in-use'}</status><attachmentSet>${instanceId === null ? '' : attachment}</attachmentSet><tagSet>${tagSet.join('')}</tagSet></item>`;
  }

  #volume(id: string): FakeVolume {
    const volume = this.volumes.get(id);
    if (!volume) throw new Error('InvalidVolume.NotFound: no such volume');
    return volume;
  }
}

async function bodyOf(request: IncomingMessage): Promise<URLSearchParams> {
  let text = '';
  for await (const chunk of request) text += (chunk as Buffer).toString('utf8');
  return new URLSearchParams(text);
}
