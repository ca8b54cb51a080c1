/**
 * A link of a row. The router's own builds its address, and watches where the page is, each time it is drawn: as one scrolls
 * through a list, a hundred of them come with every frame.
 */
import { useRouter } from '@tanstack/react-router';
import type { MouseEvent, ReactNode } from 'react';
import { withQuery } from '../api/request.ts';

interface ListLinkProps {
  readonly to: '/job' | '/node' | '/queue';
  readonly search: Readonly<Record<string, string>>;
  readonly title?: string;
  readonly children: ReactNode;
}

export function ListLink({ to, search, title, children }: ListLinkProps): ReactNode {
  const { history } = useRouter();
  const href = withQuery(to, search);
  const follow = (event: MouseEvent): void => {
    // Another tab or window, a download: the browser's own matter.
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    history.push(href);
  };
  return (
    <a href={href} title={title} onClick={follow}>
      {children}
    </a>
  );
}
