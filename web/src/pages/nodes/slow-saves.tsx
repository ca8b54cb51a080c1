/** The jobs of a node that cannot be saved within its cloud's notice: what a reclaim of this machine would lose. */
import { useQueries, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { WorkerNode } from '../../../../src/protocol/node.ts';
import { Remedy } from '../../parts/findings.tsx';
import { isAsking } from '../../parts/states.tsx';
import { explainQuery } from '../../queries/explanations.ts';
import { nodeJobsQuery } from '../../queries/jobs.ts';

/** Running jobs that are asked about: the newest of the node. */
const JOBS_MAX = 20;

interface SlowSave {
  readonly id: string;
  readonly text: string;
  readonly remedy: string | null;
}

export function useSlowSaves(node: WorkerNode): { readonly slow: readonly SlowSave[]; readonly isAsking: boolean } {
  const { data } = useQuery(nodeJobsQuery(node.id));
  const running = (data?.rows ?? []).filter(({ phase }) => phase === 'running').slice(0, JOBS_MAX);
  return useQueries({
    queries: running.map(({ id }) => explainQuery('job', id)),
    combine: (answers) => ({
      slow: answers.flatMap(({ data: explanation }, i) =>
        (explanation?.findings ?? [])
          .filter(({ code }) => code === 'cannot-be-saved-in-time')
          .map(({ text, remedy }) => ({ id: running[i]?.id ?? '', text, remedy })),
      ),
      isAsking: answers.some(isAsking),
    }),
  });
}

export function SlowSaves({ node }: { node: WorkerNode }): ReactNode {
  const { slow } = useSlowSaves(node);
  if (slow.length === 0) return null;
  return (
    <ul className="findings" aria-label="Jobs that cannot be saved in time">
      {slow.map(({ id, text, remedy }) => (
        <li key={id} className="finding finding-warn">
          <Link to="/job" search={{ id }}>
            {id}
          </Link>
          : {text}
          {remedy !== null && <Remedy text={remedy} />}
        </li>
      ))}
    </ul>
  );
}
