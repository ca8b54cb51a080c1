/** One name for a node wherever it is mentioned: its id, although jobs and events name it by its instance. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { nodeNamesQuery } from '../api/queries.ts';
import { LongId } from './long-id.tsx';

/** `oid`: a node's id or its instance id, as a job has it; empty if the job has none. */
export function NodeLink({ oid }: { oid: string }): ReactNode {
  const { data } = useQuery(nodeNamesQuery);
  if (oid === '') return '–';
  const id = data?.get(oid) ?? oid;
  return (
    <Link to="/node" search={{ id }} title={id === oid ? id : `${id} · ${oid}`}>
      <LongId id={id} />
    </Link>
  );
}
