/** Levels of log lines, apart from the logger: the dashboard shows them too, and must not bring pino along. */
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
