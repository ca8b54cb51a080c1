/** The lanes of a job, drawn to scale. */
import type { ReactNode } from 'react';
import { spanText } from '../../../../src/protocol/explain/span.ts';
import { localText } from '../../parts/time.tsx';
import type { Phase, Timeline } from './timeline.ts';

const PHASES: readonly Phase[] = ['starting', 'running', 'checkpointing', 'restoring', 'stopped'];

export function TimelineChart({ timeline }: { timeline: Timeline }): ReactNode {
  const { startMs, endMs, lanes } = timeline;
  const lengthMs = Math.max(1, endMs - startMs);
  const percent = (ms: number): string => `${(100 * ms) / lengthMs}%`;
  return (
    <div className="timeline">
      {lanes.map(({ nodeOid, spans }) => (
        <div key={nodeOid} className="lane">
          <div className="lane-name" title={nodeOid}>
            {nodeOid || 'no node'}
          </div>
          <div className="lane-track" role="img" aria-label={`${nodeOid || 'no node'}: ${laneText(spans)}`}>
            {spans.map((span) => (
              <span
                key={span.startMs}
                className={`span span-${span.phase}`}
                style={{ left: percent(span.startMs - startMs), width: percent(span.endMs - span.startMs) }}
                title={`${span.phase}, ${spanText((span.endMs - span.startMs) / 1000)}, from ${localText(new Date(span.startMs).toISOString())}`}
              />
            ))}
          </div>
        </div>
      ))}
      <div className="lane-scale">
        <span>{localText(new Date(startMs).toISOString())}</span>
        <span>{spanText(lengthMs / 1000)}</span>
        <span>{localText(new Date(endMs).toISOString())}</span>
      </div>
      <ul className="legend">
        {PHASES.map((phase) => (
          <li key={phase}>
            <span className={`swatch span-${phase}`} aria-hidden="true" /> {phase}
          </li>
        ))}
      </ul>
    </div>
  );
}

function laneText(spans: Timeline['lanes'][number]['spans']): string {
  return PHASES.map((phase) => ({
    phase,
    ms: spans.filter((span) => span.phase === phase).reduce((sum, span) => sum + span.endMs - span.startMs, 0),
  }))
    .filter(({ ms }) => ms > 0)
    .map(({ phase, ms }) => `${phase} ${spanText(ms / 1000)}`)
    .join(', ');
}
