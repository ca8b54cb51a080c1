/** The settings of each tab in groups, the most used first. What no group names stands at the end of its tab. Pure. */
import { CONFIG_FIELDS, type ConfigField } from '../../../../../src/protocol/config/config-fields.ts';
import { type SettingsTab, settingsTabOf } from '../../../address/settings-tabs.ts';

export interface FieldGroup {
  readonly title: string;
  readonly fields: readonly ConfigField[];
}

const GROUPS: Readonly<Partial<Record<SettingsTab, Readonly<Record<string, readonly string[]>>>>> = {
  ckpt: {
    Schedule: ['ckpt.ckptMode', 'ckpt.ckptInterval', 'ckpt.ckptOnSigTerm', 'ckpt.cloudMonitorMode'],
    Contents: ['ckpt.ckptImagePath', 'ckpt.ckptFiles', 'ckpt.rootFSDiff', 'ckpt.tcpClose'],
    Diagnosis: ['ckpt.diagnosisMode', 'ckpt.IRMapScanPaths'],
  },
  node: {
    Heartbeats: ['node.heartbeat', 'node.ttl'],
    'Stored logs': ['node.maxPerLogSizeMB', 'node.maxNodeLogTotalMB', 'node.cleanLogInterval'],
  },
  job: {
    Retention: ['job.successTTL', 'job.failureTTL', 'job.retentionInterval', 'job.retentionPolicy'],
    Volumes: ['job.volPerJob', 'job.volMountPath', 'job.diskType', 'job.diskSizeGB', 'job.diskThroughputMB'],
    Resources: ['job.customTags', 'job.storCleanIntvl'],
  },
  security: {
    Certificates: ['security.certFile', 'security.keyFile', 'security.clientCAFile'],
    Access: ['security.roles', 'security.corsOrigins'],
    Limits: ['security.limits.requestsPerAddress', 'security.limits.requestsPerToken', 'security.limits.connections'],
    Webhooks: ['security.webhooks.giveUpAfter', 'security.webhooks.privateTargets'],
  },
};

/** Empty for a tab without settings. */
export function fieldGroupsOf(tab: SettingsTab): FieldGroup[] {
  if (tab === 'identity') return [];
  const ofTab = CONFIG_FIELDS.filter(({ path }) => settingsTabOf(path) === tab);
  const groups = Object.entries(GROUPS[tab] ?? {}).map(([title, paths]) => ({
    title,
    fields: paths.flatMap((path) => ofTab.filter((field) => field.path === path)),
  }));
  const named = new Set(groups.flatMap(({ fields }) => fields));
  const others = ofTab.filter((field) => !named.has(field));
  return others.length === 0 ? groups : [...groups, { title: groups.length === 0 ? '' : 'Other', fields: others }];
}
