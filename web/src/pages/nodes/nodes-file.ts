/** A list of nodes as a file, with what they run and would lose. Pure. */
import { csvRow } from '../../../../src/protocol/lists/csv.ts';
import type { WorkerNode } from '../../../../src/protocol/node.ts';
import type { NodeLoad } from '../../lists/loads-of.ts';

interface LoadedNode extends WorkerNode {
  /** Undefined while that is not known. */
  readonly load: NodeLoad | undefined;
}

/** The names of columns are those of the API. */
const COLUMNS: readonly (readonly [string, (node: LoadedNode) => unknown])[] = [
  ['id', ({ id }) => id],
  ['state', ({ state }) => state],
  ['runningJobs', ({ load }) => load?.jobs],
  ['strandedJobs', ({ load }) => load?.stranded],
  ['unsavedSeconds', ({ load }) => load && Math.round(load.unsavedSeconds)],
  ['lastHeartbeat', ({ lastHeartbeat }) => lastHeartbeat],
  ['instance.instanceId', ({ instance }) => instance.instanceId],
  ['instance.instanceType', ({ instance }) => instance.instanceType],
  ['instance.payType', ({ instance }) => instance.payType],
  ['instance.pricePerHour', ({ instance }) => instance.pricePerHour],
  ['instance.onDemandPricePerHour', ({ instance }) => instance.onDemandPricePerHour],
  ['instance.region', ({ instance }) => instance.region],
  ['instance.zone', ({ instance }) => instance.zone],
  ['instance.createTime', ({ instance }) => instance.createTime],
  ['cloud', ({ cloud }) => cloud],
  ['arch', ({ arch }) => arch],
  ['cores', ({ cores }) => cores],
  ['memoryInMB', ({ memoryInMB }) => memoryInMB],
  ['cpuModel', ({ cpuModel }) => cpuModel],
  ['cpuVendor', ({ cpuVendor }) => cpuVendor],
  ['hostName', ({ hostName }) => hostName],
  ['ips', ({ ips }) => ips?.join(' ')],
];

export function nodesCsv(nodes: readonly LoadedNode[]): string {
  return [COLUMNS.map(([name]) => name), ...nodes.map((node) => COLUMNS.map(([, cellOf]) => cellOf(node)))]
    .map(csvRow)
    .join('');
}
