/**
 * The agent's own log: plain lines on standard error, for a person with `journalctl`. Not pino: the agent has one thread,
 * few lines, and should start small.
 */
import type { LogLevel } from '../../src/base/log-level.ts';

/** The product's levels. The agent writes debug to error; `trace` shows all of them and `fatal` none. */
export const AGENT_LOG_LEVELS = [
  'trace',
  'debug',
  'info',
  'warn',
  'error',
  'fatal',
] as const satisfies readonly LogLevel[];

export interface AgentLog {
  debug(text: string): void;
  info(text: string): void;
  warn(text: string): void;
  error(text: string): void;
}

/** Longer texts come from a peer only, and a person needs their beginning. */
const TEXT_LENGTH_MAX = 2_000;

export function agentLog(level: LogLevel, write: (line: string) => void, wallMs: () => number): AgentLog {
  const from = AGENT_LOG_LEVELS.indexOf(level);
  const at = (name: LogLevel) => {
    const shown = AGENT_LOG_LEVELS.indexOf(name) >= from;
    return (text: string): void => {
      if (shown) write(lineOf(name, text, wallMs()));
    };
  };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

function lineOf(level: LogLevel, text: string, wallMs: number): string {
  // One event is one line, whatever a peer's message holds.
  const plain = text.slice(0, TEXT_LENGTH_MAX).replace(/\p{Cc}+/gu, ' ');
  return `${new Date(wallMs).toISOString()} ${level.padEnd(5)} ${plain}\n`;
}
