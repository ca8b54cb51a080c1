/** What a server is started with. */
import type { AcmeSettings } from '../control/acme/acme-settings.ts';
import type { GivenSeeds } from '../control/settings/load-config.ts';

export interface ServerOptions {
  readonly dataFolder: string;
  readonly logFolder: string;
  /** Seeds a new configuration; a stored one takes precedence. */
  readonly addr: string;
  /** Whether somebody asked for this address, and should hear that another one is used. */
  readonly given: GivenSeeds;
  /** Folders beside the log folder in which `log.file` may be. */
  readonly logRoots: readonly string[];
  readonly staticFolder: string;
  /** Names and addresses by which clients reach this server, for the certificate that it makes for itself. */
  readonly publicNames: readonly string[];
  /** Where that certificate is obtained from instead; null: it is self-made. */
  readonly acme: AcmeSettings | null;
  readonly shards: number;
  readonly workers: number;
  /** Whether the pool's threads are run warm after the start, which takes processor time and makes first questions quick. */
  readonly warmUp: boolean;
  /** The process cannot go on; the caller ends it. */
  readonly onGiveUp: () => void;
}

/** How the server is part of a cluster. */
export interface ClusterSettings {
  /** Addresses of the replication engine: `nats://host:port` or `tls://host:port`. */
  readonly engine: readonly string[];
  readonly cluster: string;
  /** Where the other servers reach this one; null: where it listens. */
  readonly advertise: string | null;
  readonly credsFile: string | null;
  readonly caFile: string | null;
  /** Null: nothing is sealed; for engines on this machine only. */
  readonly keyFile: string | null;
}
