/** From what was measured to findings: pure, so that each rule is tested with the figures that it is about. */
import { FLUSH_AFTER_MS } from '../../actors/aggregator/behaviour.ts';
import type { DoctorFinding } from '../../protocol/explain/doctor.ts';

/** Who reads the database, of whatever process. */
export interface StoredReader {
  readonly pid: number;
  readonly isAlive: boolean;
  /** Of the process that looks. */
  readonly isOwn?: boolean;
  /** Transactions. */
  readonly behind: number;
}

/** What is not known is absent: a server that is not running has no event loop. */
export interface DoctorFacts {
  readonly nowMs: number;
  readonly dataFolder: string;
  readonly disks?: readonly { readonly path: string; readonly freeBytes: number; readonly sizeBytes: number }[];
  /** The database file, and what the process may map or write at most. */
  readonly map?: { readonly usedBytes: number; readonly maxBytes: number };
  readonly freePages?: { readonly freeBytes: number; readonly fileBytes: number };
  readonly readers?: readonly StoredReader[];
  readonly flush?: { readonly medianSeconds: number; readonly count: number };
  /** Time in the last minutes in which a thread did not listen. */
  readonly stalls?: { readonly seconds: number; readonly ofSeconds: number };
  /** The newest step of the wall clock against the monotonic one. */
  readonly clockJump?: { readonly seconds: number; readonly agoMs: number };
  /** Live nodes that told their clock, and how many of them are ahead of the server by more than a few seconds, or behind. */
  readonly nodeClocks?: { readonly known: number; readonly ahead: number; readonly behind: number };
  readonly descriptorsMax?: number;
  readonly certificate?: {
    readonly file: string;
    readonly endMs: number;
    /** The host of `addr` that the certificate does not name; '' where it names nothing at all; null where it fits. */
    readonly missingName: string | null;
  };
  /** Files and folders that others may read, with their modes. */
  readonly openPaths?: readonly { readonly path: string; readonly mode: string }[];
  readonly journal?: { readonly entries: number; readonly stuckMs: number };
  readonly replicaBehindMs?: number;
  /** The last backup and the first start; null where there was none. */
  readonly backup?: { readonly lastMs: number | null; readonly firstStartMs: number | null };
  readonly agents?: { readonly old: number; readonly versions: readonly string[]; readonly server: string };
  /** Why the signing key cannot be used; null where it can. */
  readonly tokenKeyFault?: string | null;
  /** Table and key of records whose checksums did not fit when they were read. */
  readonly damagedRecords?: readonly string[];
}

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;
const DAY_MS = 86_400_000;
const BACKUP_DAYS = 7;
const CERTIFICATE_DAYS = 30;
const DESCRIPTORS_MIN = 4_096;
const NEARLY_FULL = 0.9;

type Rule = (facts: DoctorFacts) => DoctorFinding | null | undefined;

/** In the order of the ids of the contract; `records` is ours. */
export function findingsOf(facts: DoctorFacts): DoctorFinding[] {
  return RULES.map((rule) => rule(facts)).filter((finding) => finding !== null && finding !== undefined);
}

const RULES: readonly Rule[] = [
  ({ disks }) => {
    const full = disks?.find(({ freeBytes, sizeBytes }) => isNearlyFull(freeBytes, sizeBytes));
    return (
      full && {
        id: 'disk',
        severity: full.freeBytes < 0.02 * full.sizeBytes ? 'critical' : 'warning',
        what: `The disk of ${full.path} is nearly full: ${sizeText(full.freeBytes)} of ${sizeText(full.sizeBytes)} are free.`,
        remedy:
          'Free space on it or enlarge it. Lower node.maxNodeLogTotalMB, job.successTTL or job.failureTTL to store less: cairn config set node.maxNodeLogTotalMB=256',
      }
    );
  },
  ({ map }) =>
    map && map.usedBytes > NEARLY_FULL * map.maxBytes
      ? {
          id: 'map',
          severity: 'critical',
          what: `The database has ${sizeText(map.usedBytes)}, and the server’s process may map ${sizeText(map.maxBytes)} at most.`,
          remedy:
            'Raise the limit of the process (LimitAS= and LimitFSIZE= of the systemd unit, or ulimit -v and -f) and restart the server.',
        }
      : null,
  ({ freePages, dataFolder }) =>
    freePages && freePages.freeBytes > 256 * MIB && freePages.freeBytes > 0.5 * freePages.fileBytes
      ? {
          id: 'free-pages',
          severity: 'warning',
          what: `${sizeText(freePages.freeBytes)} of the ${sizeText(freePages.fileBytes)} of the database file are free pages. They are used again, but the file does not shrink.`,
          remedy: `If the space is needed elsewhere: cairn backup, stop the server, and cairn restore into an empty folder in place of ${dataFolder}: a backup holds no free pages.`,
        }
      : null,
  ({ readers = [] }) => {
    const stale = readers.filter(({ isAlive, behind }) => !isAlive || behind >= READER_BEHIND_MAX);
    const [first] = stale;
    return (
      first && {
        id: 'readers',
        severity: 'warning',
        what: `${stale.length} reader${stale.length === 1 ? '' : 's'} of the database ${stale.length === 1 ? 'is' : 'are'} stale (${readerText(first)}): pages that were freed since then are not used again, and the file grows.`,
        remedy: readerRemedy(first),
      }
    );
  },
  ({ flush }) =>
    flush && flush.count >= FLUSHES_MIN && flush.medianSeconds > FLUSH_SECONDS_MAX
      ? {
          id: 'flush',
          severity: 'warning',
          what: `Half of the last transactions took more than ${secondsText(flush.medianSeconds)} to be flushed to disk. Every change waits for that.`,
          remedy: 'Move the data folder to a faster disk (SSD, more provisioned IOPS), and end what else writes to it.',
        }
      : null,
  ({ stalls }) =>
    stalls && stalls.seconds >= STALL_SECONDS_MAX
      ? {
          id: 'loop-lag',
          severity: 'warning',
          what: `Threads of the server did not listen for ${secondsText(stalls.seconds)} of the last ${Math.round(stalls.ofSeconds / 60)} minutes: the machine was suspended, or has too little CPU or memory.`,
          remedy:
            'Give the server its own CPUs and memory (see the sizing guide), and look for other programs on the machine with top.',
        }
      : null,
  clockRule,
  ({ descriptorsMax }) =>
    descriptorsMax !== undefined && descriptorsMax < DESCRIPTORS_MIN
      ? {
          id: 'descriptors',
          severity: 'warning',
          what: `The server may open ${descriptorsMax} files and connections; it needs ${DESCRIPTORS_MIN} or more.`,
          remedy:
            'Set LimitNOFILE=65536 in the systemd unit (or ulimit -n 65536 before the start) and restart the server.',
        }
      : null,
  ({ certificate, nowMs }) => {
    if (!certificate || certificate.endMs - nowMs > CERTIFICATE_DAYS * DAY_MS) return null;
    const days = Math.floor((certificate.endMs - nowMs) / DAY_MS);
    const isOver = certificate.endMs <= nowMs;
    return {
      id: 'certificate-expiry',
      severity: days < 7 ? 'critical' : 'warning',
      what: `The certificate ${certificate.file} ${isOver ? 'has expired' : `expires in ${days} days`} (${new Date(certificate.endMs).toISOString()}).`,
      remedy:
        'Put a new certificate and key in the place of the old files; the server takes them up within 15 s, without a restart.',
    };
  },
  ({ certificate }) =>
    certificate && certificate.missingName !== null
      ? {
          id: 'certificate-name',
          severity: 'warning',
          what:
            certificate.missingName === ''
              ? `The certificate ${certificate.file} names no host (it has no subjectAltName): clients refuse it.`
              : `The certificate ${certificate.file} does not name ${certificate.missingName}, at which the server listens: clients refuse it.`,
          remedy:
            'Have a certificate issued with that name or address as subjectAltName, and put it in the place of the old file.',
        }
      : null,
  ({ openPaths = [] }) => {
    const [first] = openPaths;
    const names = openPaths.map(({ path, mode }) => `${path} (mode ${mode})`).join(', ');
    return (
      first && {
        id: 'permissions',
        severity: 'critical',
        what: `Other users of the machine can read ${names}.`,
        remedy: `chmod go-rwx ${openPaths.map(({ path }) => path).join(' ')}. If they may have read a key, replace it: POST /api/v1/security/nodeKey for tokens, new files for certificates.`,
      }
    );
  },
  ({ journal }) =>
    journal && (journal.stuckMs >= JOURNAL_STUCK_MS || journal.entries > JOURNAL_ENTRIES_MAX)
      ? {
          id: 'journal',
          severity: 'warning',
          what: `The journal does not settle: ${journal.entries} entries wait${journal.stuckMs > 0 ? `, the oldest for ${Math.round(journal.stuckMs / 60_000)} minutes` : ''}. The next start has to replay them.`,
          remedy: 'Look for failed writes in the server log, and restart the server: it replays the journal.',
        }
      : null,
  ({ replicaBehindMs }) =>
    replicaBehindMs !== undefined && replicaBehindMs > REPLICA_BEHIND_MS
      ? {
          id: 'replica-lag',
          severity: 'warning',
          what: `This server is ${secondsText(replicaBehindMs / 1000)} behind the leader.`,
          remedy:
            'Look at its disk and its connection to the replication engine; it catches up by itself when they keep up.',
        }
      : null,
  ({ backup, nowMs }) => {
    if (!backup) return null;
    const sinceMs = backup.lastMs ?? backup.firstStartMs;
    if (sinceMs === null || nowMs - sinceMs <= BACKUP_DAYS * DAY_MS) return null;
    const days = Math.floor((nowMs - sinceMs) / DAY_MS);
    return {
      id: 'backup-age',
      severity: 'warning',
      what:
        backup.lastMs === null
          ? `There is no backup of this server, which was first started ${days} days ago.`
          : `The last backup of this server is ${days} days old.`,
      remedy: 'Run cairn backup --to FILE --keep 7 every day, by a timer, and keep the archives on another machine.',
    };
  },
  ({ agents }) =>
    agents && agents.old > 0
      ? {
          id: 'agent-version',
          severity: 'warning',
          what: `${agents.old} node${agents.old === 1 ? ' has an agent' : 's have agents'} older than the server ${agents.server} (${agents.versions.join(', ')}).`,
          remedy:
            'Install the agent of the server’s version on these nodes; running jobs are not disturbed. cairn node explain ID says which.',
        }
      : null,
  ({ tokenKeyFault, dataFolder }) =>
    typeof tokenKeyFault === 'string'
      ? {
          id: 'token-key',
          severity: 'critical',
          what: `The key that signs node tokens cannot be used: ${tokenKeyFault}.`,
          remedy: `Restore ${dataFolder}/keys/node-token.json from a backup. Without one, make a new key with POST /api/v1/security/nodeKey; every node then needs a new token.`,
        }
      : null,
  ({ damagedRecords = [], dataFolder }) => {
    const shown = damagedRecords.slice(0, NAMES_SHOWN).join(', ');
    const more = damagedRecords.length > NAMES_SHOWN ? ` and ${damagedRecords.length - NAMES_SHOWN} more` : '';
    return damagedRecords.length > 0
      ? {
          id: 'records',
          severity: 'critical',
          what: `${damagedRecords.length} stored record${damagedRecords.length === 1 ? ' is' : 's are'} damaged (the checksum does not fit): ${shown}${more}. What they held is left out of answers.`,
          remedy: `Check the disk (smartctl -a, dmesg). cairn verify --data-dir ${dataFolder} lists every damaged record. To have them back, stop the server and restore the last backup with cairn restore. Without a backup: cairn verify --repair removes damaged jobs while the server is stopped, and a node’s record is replaced when the node registers again.`,
        }
      : null;
  },
];

const NAMES_SHOWN = 5;
const READER_BEHIND_MAX = 10_000;
const FLUSHES_MIN = 5;
const FLUSH_SECONDS_MAX = 0.2;
const STALL_SECONDS_MAX = 4;
const CLOCK_TOLD_MS = 3_600_000;
const NODE_CLOCKS_MIN = 3;
/** Samples stay in the journal until their slice has its turn, which is how long a journal rests when the last sender has gone. */
export const JOURNAL_STUCK_MS = 2 * FLUSH_AFTER_MS;
const JOURNAL_ENTRIES_MAX = 1_000_000;
const REPLICA_BEHIND_MS = 60_000;

function readerText({ pid, isAlive, isOwn, behind }: StoredReader): string {
  if (!isAlive) return `process ${pid}, which has ended`;
  return isOwn
    ? `the server itself, for a command that reads the database, ${behind} transactions behind`
    : `process ${pid}, ${behind} transactions behind`;
}

function readerRemedy({ pid, isAlive, isOwn }: StoredReader): string {
  if (!isAlive) return 'Run cairn backup (it clears entries of ended processes), or restart the server.';
  return isOwn
    ? 'Wait until cairn backup, cairn verify or cairn audit verify on this host has ended. If none is running, restart the server.'
    : `End process ${pid}, or wait until it has read what it reads.`;
}

/** A node whose clock differs has a finding of its own; where most differ alike, it is the server's. */
function clockRule({ clockJump, nodeClocks }: DoctorFacts): DoctorFinding | null {
  const remedy = 'Let NTP keep the server’s clock: timedatectl set-ntp true, then look at timedatectl status.';
  if (clockJump && clockJump.agoMs < CLOCK_TOLD_MS)
    return {
      id: 'clock',
      severity: 'warning',
      what: `The server’s clock jumped by ${secondsText(clockJump.seconds)} ${Math.round(clockJump.agoMs / 60_000)} minutes ago. Times that the server makes are wrong by as much before or after it; liveness is not touched.`,
      remedy,
    };
  const { known, ahead, behind } = nodeClocks ?? { known: 0, ahead: 0, behind: 0 };
  if (known < NODE_CLOCKS_MIN || Math.max(ahead, behind) * 2 <= known) return null;
  return {
    id: 'clock',
    severity: 'warning',
    what: `The clocks of ${Math.max(ahead, behind)} of ${known} nodes are ${ahead > behind ? 'ahead of' : 'behind'} the server’s: most likely the server’s is wrong.`,
    remedy,
  };
}

/** A small share of a large disk may be plenty. */
function isNearlyFull(freeBytes: number, sizeBytes: number): boolean {
  return (freeBytes < (1 - NEARLY_FULL) * sizeBytes && freeBytes < 20 * GIB) || freeBytes < 64 * MIB;
}

export function sizeText(bytes: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];
  let [value, unit] = [bytes, 0];
  for (; value >= 1024 && unit < units.length - 1; unit++) value /= 1024;
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`;
}

export function secondsText(seconds: number): string {
  return Math.abs(seconds) < 10 ? `${seconds.toFixed(1)} s` : `${Math.round(seconds)} s`;
}
