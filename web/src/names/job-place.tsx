/** Where a job is, in one line below what else a card tells of it. */
import type { ReactNode } from 'react';
import { hostLabel } from './host-label.ts';
import { useNodeOfList } from './node-link.tsx';

interface JobPlaceProps {
  readonly job: { readonly queueName: string; readonly nodeOid: string };
  /** Ids of columns that are not shown. */
  readonly hidden: readonly string[];
}

/** Its queue, and its node where it has one: what has no room is cut. Within `WithNodeNames`. */
export function JobPlace({ job: { queueName, nodeOid }, hidden }: JobPlaceProps): ReactNode {
  const node = useNodeOfList(nodeOid)?.id ?? nodeOid;
  const isQueueShown = !hidden.includes('queue');
  const isNodeShown = nodeOid !== '' && !hidden.includes('node');
  return (
    <span className="job-place">
      {isQueueShown ? <span className="job-place-queue">{queueName}</span> : null}
      {isQueueShown && isNodeShown ? <span className="job-place-parts">{'\u00a0· '}</span> : null}
      {isNodeShown ? <span className="job-place-node">{hostLabel(node)}</span> : null}
    </span>
  );
}
