/** What a server of a cluster knows of itself and of the others; `src/store/replica` keeps it, main and the gateway read it. */

/** `catching-up`: it has not applied all that is known to be in the stream yet, or cannot reach it. */
export type ReplicaRole = 'leader' | 'follower' | 'catching-up';

/** How the others reach a server. */
export interface ReplicaPeer {
  readonly id: string;
  readonly url: string;
  /** SHA-256 of its certificate: lower-case hex without colons. Null where it serves plain HTTP. */
  readonly fingerprint: string | null;
}

export interface ReplicaStatus {
  readonly role: ReplicaRole;
  /** Who holds the lease as far as this server knows; this server too. */
  readonly leader: ReplicaPeer | null;
  readonly term: number;
  /** Milliseconds since this server first heard of something that it has not applied; 0 where there is nothing. */
  readonly behindMs: number;
  /** The engine has not answered for CUT_OFF_MS. */
  readonly isCutOff: boolean;
  /** Sequence number of the last message of the stream that is applied here. */
  readonly applied: number;
  /** Sequence number of the last message that is known to be in the stream. */
  readonly last: number;
  /** Counters since this process started. */
  readonly published: number;
  readonly acknowledged: number;
  readonly appliedGroups: number;
  readonly takeovers: number;
  readonly cutOffs: number;
}

export interface ReplicaOptions {
  /** Addresses of the engine: `nats://host:port` or `tls://host:port`. */
  readonly engine: readonly string[];
  /** Up to 32 of `A–Z a–z 0–9 _ -`. */
  readonly cluster: string;
  readonly self: ReplicaPeer;
  readonly credsFile: string | null;
  readonly caFile: string | null;
  /** Of at least 32 bytes. Null: nothing is sealed, which only an engine on loopback may see. */
  readonly keyFile: string | null;
  readonly dataFolder: string;
  readonly logFolder: string;
  /** A snapshot is made after so many bytes of the stream; absent: SNAPSHOT_BYTES. */
  readonly snapshotBytes?: number;
  /** A server that has not seen a leader yet waits so long for the others that it knows of; absent: GATHERING_MS. */
  readonly gatheringMs?: number;
}
