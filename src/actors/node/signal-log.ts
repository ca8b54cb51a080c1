/** Facts about nodes as log lines, for the operator who asks in the morning what happened at night. */
import type { Logger } from '../../base/log.ts';
import { shortDuration } from '../../protocol/duration.ts';
import type { Signal } from '../runtime/behaviour.ts';
import type { NodeSignal } from './state.ts';

type Line = readonly [level: 'debug' | 'info' | 'warn', text: string | ((ttl: string, signal: NodeSignal) => string)];

const LINES: Readonly<Record<NodeSignal['type'], Line>> = {
  'node.registered': ['info', 'node registered'],
  'node.alive': ['info', 'node is alive again'],
  'node.late': ['debug', 'node is late'],
  'node.lost': ['warn', (ttl) => `node lost: no heartbeat for more than ${ttl}`],
  // One node of a mass silence; the shard has a line for all of them.
  'node.held': ['debug', (ttl) => `node silent for ${ttl}: the verdict is suspended`],
  'node.deregistered': ['info', 'node deregistered'],
  'node.drained': ['info', (_, { drained }) => `node drain ${drained === false ? 'undone' : 'started'}`],
  'node.interruption': ['warn', 'the cloud takes the node back'],
};

/** `ttl`: `node.ttl` as the configuration has it. */
export function logSignal(log: Logger, signal: Signal, ttl: string): void {
  if (!Object.hasOwn(LINES, signal.type)) return;
  const told = signal as NodeSignal;
  const { type, ...fields } = told;
  const [level, text] = LINES[type];
  log[level](fields, typeof text === 'string' ? text : text(shortDuration(ttl), told));
}
