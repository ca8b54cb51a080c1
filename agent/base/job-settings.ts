/** The settings of the server's configuration that act on jobs, read leniently: a field that is missing has its default. Pure. */
import { durationMs, tryParseDuration } from '../../src/protocol/duration.ts';

export interface JobSettings {
  readonly ckptMode: 'iterative' | 'none';
  readonly imagePath: string;
  readonly intervalMs: number;
  readonly ckptFiles: readonly string[];
  readonly irmapScanPaths: readonly string[];
  readonly ckptOnSigTerm: boolean;
  readonly diagnosisMode: boolean;
  readonly rootFSDiff: boolean;
  readonly cloudMonitorMode: boolean;
  readonly tcpClose: boolean;
  readonly nodeTtlMs: number;
  readonly volPerJob: boolean;
  readonly volMountPath: string;
  readonly diskType: string;
  readonly diskSizeGB: number;
  readonly diskThroughputMB: number;
  readonly customTags: Readonly<Record<string, string>>;
  readonly sweepMs: number;
}

type Json = Readonly<Record<string, unknown>>;

export function jobSettingsOf(config: unknown): JobSettings {
  const { ckpt, node, job } = objectOf(config);
  const [c, n, j] = [objectOf(ckpt), objectOf(node), objectOf(job)];
  return {
    // `unknown`: no administrator has decided yet.
    ckptMode: c['ckptMode'] === 'iterative' ? 'iterative' : 'none',
    imagePath: textOf(c['ckptImagePath'], '/mnt/cairn/checkpoints'),
    intervalMs: msOf(c['ckptInterval'], 900_000),
    ckptFiles: textsOf(c['ckptFiles']),
    irmapScanPaths: textsOf(c['IRMapScanPaths']),
    ckptOnSigTerm: c['ckptOnSigTerm'] === true,
    diagnosisMode: c['diagnosisMode'] === true,
    rootFSDiff: c['rootFSDiff'] === true,
    cloudMonitorMode: c['cloudMonitorMode'] === true,
    tcpClose: c['tcpClose'] === true,
    nodeTtlMs: msOf(n['ttl'], 300_000),
    volPerJob: j['volPerJob'] === true,
    volMountPath: textOf(j['volMountPath'], '/mnt/cairn/volume'),
    diskType: textOf(j['diskType'], 'gp3'),
    diskSizeGB: numberOf(j['diskSizeGB'], 100),
    diskThroughputMB: numberOf(j['diskThroughputMB'], 125),
    customTags: mapOf(j['customTags']),
    sweepMs: msOf(j['storCleanIntvl'], 86_400_000),
  };
}

function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}

function textOf(value: unknown, fallback: string): string {
  return typeof value === 'string' && value !== '' ? value : fallback;
}

function numberOf(value: unknown, fallback: number): number {
  return typeof value === 'number' ? value : fallback;
}

function mapOf(value: unknown): Record<string, string> {
  const entries = Object.entries(objectOf(value));
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((text): text is string => typeof text === 'string' && text !== '') : [];
}

function msOf(value: unknown, fallbackMs: number): number {
  const ns = typeof value === 'string' ? tryParseDuration(value) : undefined;
  return ns === undefined || ns <= 0n ? fallbackMs : durationMs(ns);
}
