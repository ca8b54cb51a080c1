/**
 * Every acknowledged fact is on disk, now and after any restart: registrations, goodbyes, events of jobs. What was refused as
 * overloaded is not: that answer says that nothing was taken.
 */

import type { Job } from '../../../src/protocol/job.ts';
import { textKey } from '../../../src/store/kv/keys.ts';
import type { Reader } from '../../../src/store/kv/store.ts';
import { decodeNodeRecord } from '../../../src/store/records/node-record.ts';
import { wholeJob } from '../../../src/workers/jobs/whole-job.ts';
import type { Auditor, JobTruth, NodeTruth } from '../auditor.ts';

export function missingFacts(reader: Reader, auditor: Auditor): string[] {
  return [
    ...[...auditor.nodes.values()].flatMap((truth) => nodeFault(reader, truth) ?? []),
    ...[...auditor.jobs.values()].flatMap((truth) => jobFault(reader, truth) ?? []),
  ];
}

function nodeFault(reader: Reader, truth: NodeTruth): string | undefined {
  if (truth.versionAcknowledged === 0) return undefined;
  const bytes = reader.get('node', textKey(truth.id));
  if (!bytes) return `${truth.id} was registered and acknowledged, and is not on disk`;
  const record = decodeNodeRecord(bytes);
  const { cores } = JSON.parse(record.factsJson) as { cores: number };
  if (cores > truth.versionSent) return `${truth.id} is on disk with facts that nobody sent`;
  if (truth.isGone && record.state !== 'deregistered')
    return `${truth.id} said goodbye, was told so, and is on disk as ${record.state}`;
  // Copies of earlier registrations may arrive late; a version below the first one acknowledged cannot.
  return cores < 1 ? `${truth.id} has lost its facts` : undefined;
}

function jobFault(reader: Reader, truth: JobTruth): string | undefined {
  const bytes = reader.get('job', textKey(truth.id));
  if (!bytes) return truth.acknowledged.size === 0 ? undefined : `${truth.id} was acknowledged, and is not on disk`;
  const job = JSON.parse(Buffer.from(wholeJob(reader, truth.id, bytes)).toString('utf8')) as Job;
  const stored = job.events.map(({ timestamp }) => timestamp);
  if (new Set(stored).size < stored.length) return `${truth.id} has an event twice`;
  const missing = [...truth.acknowledged].find((timestamp) => !stored.includes(timestamp));
  if (missing !== undefined) return `the event of ${truth.id} at ${missing} was acknowledged, and is not on disk`;
  const refused = stored.find((timestamp) => truth.perhaps.get(timestamp) === 0);
  if (refused !== undefined) return `the event of ${truth.id} at ${refused} was refused as overloaded, and is on disk`;
  const invented = stored.find((timestamp) => !truth.sent.has(timestamp));
  return invented === undefined ? undefined : `${truth.id} has an event at ${invented} that nobody sent`;
}
