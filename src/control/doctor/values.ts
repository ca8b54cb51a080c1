/** What each check saw, in a few words: pure. A check of which nothing was measured has no value. */
import type { DoctorCheck } from '../../protocol/explain/doctor.ts';
import { spanText } from '../../protocol/explain/span.ts';
import { NO_BACKUP } from '../../protocol/names/doctor-values.ts';
import { type DoctorFacts, secondsText, sizeText } from './rules.ts';

type Value = (facts: DoctorFacts) => string | undefined;

/** In the order of the findings. */
export function valuesOf(facts: DoctorFacts): DoctorCheck[] {
  return (Object.keys(VALUES) as DoctorCheck['id'][]).flatMap((id) => {
    const value = VALUES[id](facts);
    return value === undefined ? [] : [{ id, value }];
  });
}

const VALUES: Readonly<Record<DoctorCheck['id'], Value>> = {
  disk: ({ disks = [] }) =>
    disks.length === 0
      ? undefined
      : disks
          .map(({ path, ...disk }) => (disks.length === 1 ? freeText(disk) : `${freeText(disk)} at ${path}`))
          .join(', '),
  map: ({ map }) => map && `${sizeText(map.usedBytes)} of ${sizeText(map.maxBytes)}`,
  'free-pages': ({ freePages }) =>
    freePages && `${sizeText(freePages.freeBytes)} of ${sizeText(freePages.fileBytes)} free`,
  readers: ({ readers }) => {
    if (!readers) return undefined;
    const behind = Math.max(0, ...readers.map((reader) => reader.behind));
    return `${countOf(readers.length, 'reader')}${behind === 0 ? '' : `, at most ${countOf(behind, 'transaction')} behind`}`;
  },
  flush: ({ flush }) =>
    flush && `median ${millisecondsText(flush.medianSeconds)} of ${countOf(flush.count, 'flush', 'flushes')}`,
  'loop-lag': ({ stalls }) =>
    stalls && `${secondsText(stalls.seconds)} of the last ${Math.round(stalls.ofSeconds / 60)} minutes`,
  clock: clockValue,
  descriptors: ({ descriptorsMax }) =>
    descriptorsMax === undefined ? undefined : `${grouped(descriptorsMax)} allowed`,
  'certificate-expiry': ({ certificate, nowMs }) => certificate && endText(certificate.endMs, nowMs),
  'certificate-name': ({ certificate }) =>
    certificate && (certificate.missingName === null ? 'names the address' : 'does not name the address'),
  permissions: ({ openPaths }) =>
    openPaths && (openPaths.length === 0 ? 'none open to others' : `${openPaths.length} open to others`),
  journal: ({ journal }) =>
    journal &&
    (journal.entries === 0
      ? 'no entry waits'
      : `${countOf(journal.entries, 'entry', 'entries')}, the oldest for ${spanText(journal.stuckMs / 1000)}`),
  'replica-lag': ({ replicaBehindMs }) =>
    replicaBehindMs === undefined ? undefined : `${secondsText(replicaBehindMs / 1000)} behind the leader`,
  'backup-age': ({ backup, nowMs }) =>
    backup && (backup.lastMs === null ? NO_BACKUP : `last backup ${agoText(nowMs - backup.lastMs)}`),
  'agent-version': ({ agents }) =>
    agents && `${agents.old === 0 ? 'none' : countOf(agents.old, 'node')} older than ${agents.server}`,
  'token-key': ({ tokenKeyFault }) =>
    tokenKeyFault === undefined ? undefined : tokenKeyFault === null ? 'readable' : 'not readable',
  records: ({ damagedRecords }) =>
    damagedRecords &&
    (damagedRecords.length === 0 ? 'none damaged since the start' : `${grouped(damagedRecords.length)} damaged`),
};

function freeText({ freeBytes, sizeBytes }: { readonly freeBytes: number; readonly sizeBytes: number }): string {
  // A file system of no size has no share.
  const share = sizeBytes === 0 ? '' : ` (${Math.floor((100 * freeBytes) / sizeBytes)} %)`;
  return `${sizeText(freeBytes)} free${share}`;
}

/** On a host whose server does not run, nothing is known of its clock. */
function clockValue({ clockJump, nodeClocks }: DoctorFacts): string | undefined {
  if (clockJump) return `jumped by ${secondsText(clockJump.seconds)} ${agoText(clockJump.agoMs)}`;
  if (!nodeClocks) return undefined;
  const { known, ahead, behind } = nodeClocks;
  return known === 0 ? 'no jump' : `no jump, ${grouped(known - ahead - behind)} of ${countOf(known, 'node')} agree`;
}

function endText(endMs: number, nowMs: number): string {
  if (endMs <= nowMs) return `ended ${agoText(nowMs - endMs)}`;
  // To the day: nobody plans a certificate by the hour, until its last days.
  const days = Math.floor((endMs - nowMs) / DAY_MS);
  return `ends in ${days >= 2 ? `${grouped(days)} days` : spanText((endMs - nowMs) / 1000)}`;
}

const DAY_MS = 86_400_000;

/** A clock that was set back makes what is past lie ahead. */
function agoText(ms: number): string {
  return ms < 60_000 ? 'just now' : `${spanText(60 * Math.floor(ms / 60_000))} ago`;
}

function millisecondsText(seconds: number): string {
  return seconds < 1 ? `${(1000 * seconds).toFixed(seconds < 0.01 ? 1 : 0)} ms` : secondsText(seconds);
}

function countOf(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}

function grouped(count: number): string {
  return count.toLocaleString('en-US');
}
