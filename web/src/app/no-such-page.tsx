/** What an address shows that leads nowhere: what was asked for, and ways on. */
import { Link, useLocation } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { PageHead } from '../parts/page-head.tsx';
import { Empty } from '../parts/states.tsx';
import { PLACES } from './places.ts';

export function NoSuchPage(): ReactNode {
  const { pathname } = useLocation();
  return (
    <>
      <PageHead title="There is no such page" />
      <Empty title="Nothing is at this address">
        <p>
          There is no page at <code>{pathname}</code>. Search with the button at the top, or go to one of these:
        </p>
        <p>
          {PLACES.map(({ to, label }, i) => (
            <span key={to}>
              {i === 0 ? '' : ' · '}
              <Link to={to}>{label}</Link>
            </span>
          ))}
        </p>
      </Empty>
    </>
  );
}
