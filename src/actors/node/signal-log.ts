/** Facts about nodes as log lines, for the operator who asks in the morning what happened at night. */
import type { Logger } from '../../base/log.ts';
import type { Signal } from '../runtime/behaviour.ts';
import type { NodeSignal } from './state.ts';

type Line = readonly [level: 'debug' | 'info' | 'warn', text: string];

const LINES: Readonly<Record<NodeSignal['type'], Line>> = {
  'node.registered': ['info', 'node registered'],
  'node.alive': ['info', 'node is alive again'],
  'node.late': ['debug', 'node is late'],
  'node.lost': ['warn', 'node lost: no heartbeat for node.ttl'],
  // One node of a mass silence; the shard has a line for all of them.
  'node.held': ['debug', 'node silent for node.ttl: the verdict is suspended'],
  'node.deregistered': ['info', 'node deregistered'],
  'node.drained': ['info', 'node drained, or its drain undone'],
  'node.interruption': ['warn', 'the cloud takes the node back'],
};

export function logSignal(log: Logger, signal: Signal): void {
  if (!Object.hasOwn(LINES, signal.type)) return;
  const { type, ...fields } = signal as NodeSignal;
  const [level, text] = LINES[type];
  log[level](fields, text);
}
