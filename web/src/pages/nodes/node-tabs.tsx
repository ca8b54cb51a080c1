/** The two pages about all nodes. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

export function NodeTabs(): ReactNode {
  return (
    <nav className="tabs" aria-label="Views of nodes">
      <Link to="/nodes" activeOptions={{ includeSearch: false }}>
        Fleet
      </Link>
      <Link to="/reclaims" activeOptions={{ includeSearch: false }}>
        Spot reclaims
      </Link>
    </nav>
  );
}
