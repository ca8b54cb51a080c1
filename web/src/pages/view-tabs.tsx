/** Pages that are two views of the same things. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

const VIEWS = {
  jobs: [
    ['/jobs', 'Jobs'],
    ['/queues', 'Queues'],
  ],
  nodes: [
    ['/nodes', 'Fleet'],
    ['/reclaims', 'Spot reclaims'],
  ],
} as const;

export function ViewTabs({ of }: { of: keyof typeof VIEWS }): ReactNode {
  return (
    <nav className="tabs" aria-label={`Views of ${of}`}>
      {VIEWS[of].map(([to, label]) => (
        <Link key={to} to={to} activeOptions={{ includeSearch: false }}>
          {label}
        </Link>
      ))}
    </nav>
  );
}
