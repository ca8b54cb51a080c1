/** Who did something, and from which address. */
import type { ReactNode } from 'react';
import { Person } from '../../../names/person.tsx';

export function Who({ who, from }: { who: string; from: string | undefined }): ReactNode {
  return (
    <>
      <Person who={who} />
      {from === undefined ? null : (
        <>
          {' '}
          <span className="muted">{`(${from})`}</span>
        </>
      )}
    </>
  );
}
