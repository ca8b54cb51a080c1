/** Examples of what is sent and answered, as the OpenAPI document shows them; a test sends them to a real server. */

export const EXAMPLE_TIME = '2026-05-04T10:00:00.000Z';

export const EXAMPLE_INSTANCE = {
  zone: 'us-east-1a',
  instanceId: 'i-0123456789abcdef0',
  instanceType: 'm5.xlarge',
  region: 'us-east-1',
  createTime: EXAMPLE_TIME,
  payType: 'Spot',
  pricePerHour: 0.07,
  onDemandPricePerHour: 0.19,
};

export const EXAMPLE_AGENT = { version: '0.1.0', engine: 'criu', canCheckpoint: true, saveMBps: 250 };

export const EXAMPLE_FACTS = {
  id: 'node-1',
  ips: ['10.0.0.1'],
  hostName: 'ip-10-0-0-1',
  cloud: 'aws',
  arch: 'x86_64',
  cores: 4,
  cpuModel: 'Intel(R) Xeon(R) Platinum 8259CL CPU @ 2.50GHz',
  cpuVendor: 'GenuineIntel',
  memoryInMB: 16_384,
  instance: EXAMPLE_INSTANCE,
};

export const EXAMPLE_METRICS = { cpuPercent: 42.5, memoryUsedMB: 2_048 };

export const EXAMPLE_EVENT = {
  timestamp: EXAMPLE_TIME,
  eventType: 'Job-Running',
  nodeOid: 'i-0123456789abcdef0',
  containerId: 'copy-1',
};

export const EXAMPLE_JOB = {
  id: 'job-1',
  queueName: 'genomics',
  name: 'align',
  cpus: 4,
  memoryInMB: 8_192,
  createdAt: EXAMPLE_TIME,
  updatedAt: EXAMPLE_TIME,
  status: 'Running',
  nodeOid: 'i-0123456789abcdef0',
  containerId: 'copy-1',
  spotProtCount: 0,
  batchJobIds: [],
  volumeIds: [],
  events: [EXAMPLE_EVENT],
};

export const EXAMPLE_TALLY = { attempts: 3, successes: 2, failures: 1 };

export const EXAMPLE_METRIC = {
  name: 'Jobs submitted of queue genomics',
  id: 'metricDef-jobSubmitted.queue-genomics',
  definition: {
    id: 'metricDef-jobSubmitted',
    description: 'Jobs that came in',
    labels: ['queueName'],
    unit: 'count',
    aggregation: 'sum' as const,
  },
  object: { id: 'queue-genomics', type: 'queue', name: 'genomics' },
  levels: [
    { interval: '1m0s', retention: '168h0m0s' },
    { interval: '30m0s', retention: '2160h0m0s' },
    { interval: '24h0m0s', retention: '18000h0m0s' },
  ],
};
