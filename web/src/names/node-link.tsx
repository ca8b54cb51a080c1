/** One name for a node wherever it is mentioned: its id, although jobs and events name it by its instance. */
import { useQuery } from '@tanstack/react-query';
import { createContext, type ReactNode, useCallback, useContext } from 'react';
import { type NamedNode, nodeNamesQuery } from '../queries/nodes.ts';
import { hostLabel } from './host-label.ts';
import { ListLink } from './list-link.tsx';
import { LongId } from './long-id.tsx';

type NodeNames = ReadonlyMap<string, NamedNode>;

/** Undefined outside of a list. */
const NamesOfList = createContext<NodeNames | undefined>(undefined);
const NO_NAMES: NodeNames = new Map();

/** Around a list: it asks once for the names, and not each of its rows as it comes into sight. */
export function WithNodeNames({ children }: { children: ReactNode }): ReactNode {
  const { data } = useQuery(nodeNamesQuery);
  return <NamesOfList value={data ?? NO_NAMES}>{children}</NamesOfList>;
}

/** The node of a job within such a list; undefined where it is not known, or not yet. */
export function useNodeOfList(oid: string): NamedNode | undefined {
  return useContext(NamesOfList)?.get(oid);
}

/** What a list shows of the node of a row, outside of `WithNodeNames`: its short name, or its instance id until that is known. */
export function useNodeLabels(): (oid: string) => string {
  const { data } = useQuery(nodeNamesQuery);
  return useCallback((oid) => hostLabel(data?.get(oid)?.id ?? oid), [data]);
}

/** `oid`: a node's id or its instance id, as a job has it; empty if the job has none. */
export function NodeLink({ oid }: { oid: string }): ReactNode {
  const names = useContext(NamesOfList);
  if (oid === '') return '–';
  return names === undefined ? <AskedNodeLink oid={oid} /> : <NamedNodeLink oid={oid} names={names} />;
}

function AskedNodeLink({ oid }: { oid: string }): ReactNode {
  const { data } = useQuery(nodeNamesQuery);
  return <NamedNodeLink oid={oid} names={data ?? NO_NAMES} />;
}

function NamedNodeLink({ oid, names }: { oid: string; names: NodeNames }): ReactNode {
  const id = names.get(oid)?.id ?? oid;
  return (
    <ListLink to="/node" search={{ id }} title={id === oid ? id : `${id} · ${oid}`}>
      <NodeName id={id} />
    </ListLink>
  );
}

/** A node's id in a narrow place; the whole stands in the title of what is around it. */
export function NodeName({ id }: { id: string }): ReactNode {
  return <LongId id={hostLabel(id)} />;
}
