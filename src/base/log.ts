/**
 * The one door to pino. A logger writes JSON lines to a sink; where the lines go (a file on main, a message to main on
 * any other thread) is the sink's business.
 */
import { type Level, pino } from 'pino';
import type { LogLevel } from './log-level.ts';

export interface LineSink {
  /** Takes one complete line, newline included. */
  write(line: string): void;
}

export interface Logger {
  trace(fields: object, message: string): void;
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  fatal(fields: object, message: string): void;
  child(bindings: object): Logger;
  setLevel(level: LogLevel): void;
}

export function createLogger(sink: LineSink, level: LogLevel, bindings: object = {}): Logger {
  const root = pino(
    {
      level: level satisfies Level,
      base: bindings,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      messageKey: 'message',
      errorKey: 'error',
      serializers: { error: pino.stdSerializers.err },
    },
    sink,
  );
  const levels = new Set<pino.Logger>();
  return wrap(root, levels);
}

function wrap(logger: pino.Logger, family: Set<pino.Logger>): Logger {
  family.add(logger);
  return {
    trace: (fields, message) => logger.trace(fields, message),
    debug: (fields, message) => logger.debug(fields, message),
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
    fatal: (fields, message) => logger.fatal(fields, message),
    child: (bindings) => wrap(logger.child(bindings), family),
    setLevel: (level) => {
      for (const member of family) member.level = level;
    },
  };
}
