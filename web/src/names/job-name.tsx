/** A job in a list: its id leads to its page; below it stands the name that it was given, where it has one. */
import type { ReactNode } from 'react';
import { ListLink } from './list-link.tsx';
import { LongId } from './long-id.tsx';

export function JobName({
  job: { id, name },
}: {
  job: { readonly id: string; readonly name?: string | undefined };
}): ReactNode {
  return (
    <>
      <ListLink to="/job" search={{ id }} title={name ? `${id} · ${name}` : id}>
        <LongId id={id} />
      </ListLink>
      {name && name !== id ? <span className="muted small job-name"> {name}</span> : null}
    </>
  );
}
