/** The files of a TLS listener. */
export interface PairFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

export interface TlsFiles extends PairFiles {
  /** Certificates of the authority of the nodes' certificates; empty: none is asked for. */
  readonly clientCAFile: string;
}
