/** Names and numbers of `cairn run`, apart from the schemas: a command line is read without loading those. */

export const ENGINES = ['auto', 'criu', 'podman', 'none'] as const;
export const FRESH = ['last', 'never', 'always'] as const;

/** Signals that `cairn run` passes on. */
export const PASSED_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'] as const;

/** As the commands that ask the server have it. */
export const EXIT_NOT_FOUND = 3;
/** `sysexits`: the job cannot run on this node now, and may elsewhere or later. */
export const EXIT_ELSEWHERE = 75;
export const EXIT_NO_AGENT = 69;
export const EXIT_NO_COMMAND = 127;
