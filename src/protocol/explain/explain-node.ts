/** How a node is, and what keeps it from doing its work. Pure; the route, the dashboard and the command line show the same text. */

import { drainState, isGone } from '../names/node-state.ts';
import { isSpot } from '../names/pay-type.ts';
import type { WorkerNode } from '../node.ts';
import { type Explanation, type Finding, type NodeFindingCode, sentence, worstFirst } from './finding.ts';
import { lostRemedy } from './remedies.ts';
import { LATE_REMEDY, silentText } from './silence.ts';
import { spanText } from './span.ts';

export interface NodeCircumstances {
  readonly node: WorkerNode;
  /** The TTL has passed, but so many nodes fell silent at once that the server doubts itself. */
  readonly isVerdictSuspended: boolean;
  readonly ttlMs: number;
  readonly nowMs: number;
  /** Jobs that run on it, asked for where it is drained; null where the caller does not see all jobs. */
  readonly runningJobs: number | null;
  /** The server's own version, as `1.2.3`. */
  readonly version: string;
}

type NodeFinding = Finding<NodeFindingCode>;

/** Clocks that are kept by NTP differ by milliseconds; a registration takes a second at most. */
export const CLOCK_DIFFERENCE_MS_MAX = 5_000;

export function explainNode(circumstances: NodeCircumstances): Explanation<NodeFindingCode> {
  const state = stateOf(circumstances);
  const findings = worstFirst([state, ...markFindings(circumstances), ...agentFindings(circumstances)]);
  const worst = findings[0] as NodeFinding;
  return { summary: worst.severity === 'ok' || worst.severity === 'info' ? state.text : worst.text, findings };
}

function stateOf({ node, isVerdictSuspended, ttlMs, nowMs }: NodeCircumstances): NodeFinding {
  const common = {
    since: node.lastHeartbeat,
    evidence: [
      { time: node.lastHeartbeat, text: 'last heartbeat' },
      { time: null, text: `node.ttl is ${spanText(ttlMs / 1_000)}` },
    ],
  };
  if (isVerdictSuspended)
    return {
      ...common,
      code: 'verdict-held',
      severity: 'warning',
      text: `Silent since ${node.lastHeartbeat}. Many nodes fell silent at once, so the server suspects itself or its network and does not mark them lost yet.`,
      remedy: `Check the network between the server and its nodes. Those that stay silent are lost ${spanText((2 * ttlMs) / 1_000)} after their last heartbeat, or after the server's start if that was later.`,
    };
  switch (node.state) {
    case 'alive':
      return { ...common, code: 'alive', severity: 'ok', text: 'Alive.', since: null, remedy: null };
    case 'late':
      return {
        ...common,
        code: 'late',
        severity: 'warning',
        text: `Late: ${silentText({ node, ttlMs, nowMs })}`,
        remedy: LATE_REMEDY,
      };
    case 'lost':
      return {
        ...common,
        code: 'lost',
        severity: 'critical',
        text: `Lost: no heartbeat since ${node.lastHeartbeat}.`,
        remedy: lostRemedy({ isSpot: isSpot(node.instance.payType), hasJobs: true }),
      };
    case 'deregistered':
      // An agent, an operator or an administrator may have done it: the record does not tell who.
      return {
        ...common,
        code: 'deregistered',
        severity: 'info',
        text: `Deregistered at ${node.endedAt ?? node.lastHeartbeat}.`,
        remedy: null,
      };
  }
}

function markFindings({ node, runningJobs, nowMs }: NodeCircumstances): NodeFinding[] {
  const findings: NodeFinding[] = [];
  if (node.drained)
    findings.push({
      code: 'drained',
      severity: 'info',
      text: drainText(runningJobs),
      since: null,
      evidence: [{ time: null, text: 'an operator drained it' }],
      remedy: `To let it take jobs again: cairn node drain ${node.id} --undo`,
    });
  if (node.interruption) {
    const { action, time } = node.interruption;
    const isOver = isGone(node);
    const isDue = Date.parse(time) <= nowMs;
    findings.push({
      code: 'interrupted',
      severity: 'warning',
      text: isOver
        ? `The cloud reclaimed this machine (${action}, announced for ${time}).`
        : isDue
          ? `The cloud announced that it reclaims this machine (${action}) at ${time}, and it is still there.`
          : `The cloud reclaims this machine (${action}) at ${time}.`,
      since: null,
      evidence: [{ time, text: `interruption notice: ${action}` }],
      remedy: isOver
        ? 'Run the jobs that it stopped again on another node.'
        : isDue
          ? 'It may go at any moment: checkpoint the jobs that still run here now.'
          : 'Nothing to do until then: the agent saves and stops its jobs. They go on once they are run again on another node.',
    });
  }
  return findings;
}

/** The word that the dashboard has for it, and why. */
function drainText(runningJobs: number | null): string {
  if (runningJobs === null) return 'Draining: it takes no new job. Running jobs go on.';
  if (drainState(runningJobs) === 'drained') return 'Drained: it takes no new job, and none runs here any more.';
  const jobs = runningJobs === 1 ? '1 job still runs here' : `${runningJobs} jobs still run here`;
  return `Draining: ${jobs}; it takes no new one.`;
}

function agentFindings({ node, version }: NodeCircumstances): NodeFinding[] {
  const { agent } = node;
  if (!agent || node.state === 'deregistered') return [];
  const findings: NodeFinding[] = [];
  const fact = (text: string) => [{ time: null, text }];
  if (agent.version !== undefined && isOlder(agent.version, version))
    findings.push({
      code: 'agent-old',
      severity: 'warning',
      text: `Its agent is of version ${agent.version}, older than the server's ${version}.`,
      since: null,
      evidence: fact(`agent ${agent.version}, server ${version}`),
      remedy: 'Install the agent of the server’s version. Running jobs are not disturbed.',
    });
  const differenceMs = agent.clockDifferenceMs ?? 0;
  if (Math.abs(differenceMs) > CLOCK_DIFFERENCE_MS_MAX)
    findings.push({
      code: 'clock-differs',
      severity: 'warning',
      text: `Its clock is ${spanText(Math.abs(differenceMs) / 1_000)} ${differenceMs > 0 ? 'ahead of' : 'behind'} the server's: the times of its events and samples are wrong by as much.`,
      since: null,
      evidence: fact(`difference at its registration: ${differenceMs} ms`),
      remedy: 'Let NTP keep the clock (timedatectl set-ntp true), then restart the agent.',
    });
  if (agent.canCheckpoint === false)
    findings.push({
      code: 'cannot-checkpoint',
      severity: 'warning',
      text: `It cannot checkpoint jobs${agent.reason ? `: ${sentence(agent.reason)}` : '.'}`,
      since: null,
      evidence: fact(`engine ${agent.engine ?? 'none'}`),
      // The reason says what is missing.
      remedy: agent.reason ? null : 'Run cairn agent check on the node: it says what is missing.',
    });
  return findings;
}

/** Compares `1.2.3` by its numbers; what is no version is not older. */
export function isOlder(version: string, than: string): boolean {
  const [a, b] = [version, than].map((text) => /^v?(\d+)\.(\d+)\.(\d+)/.exec(text)?.slice(1).map(Number));
  if (!a || !b) return false;
  const differing = a.findIndex((part, i) => part !== b[i]);
  return differing >= 0 && (a[differing] as number) < (b[differing] as number);
}
