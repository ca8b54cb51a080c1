/** The head of every page. */
import { type ReactNode, useEffect } from 'react';

interface PageHeadProps {
  /** Of the page, in its heading and in the tab. */
  readonly title: string;
  /** Link to the list that the page is of one row of. */
  readonly trail?: ReactNode;
  readonly children?: ReactNode;
}

export function PageHead({ title, trail, children }: PageHeadProps): ReactNode {
  useEffect(() => {
    document.title = `${title} · Cairn`;
  }, [title]);
  return (
    <div className="page-head">
      <div className="page-title">
        {trail ? <div className="trail">{trail}</div> : null}
        <h1>{title}</h1>
      </div>
      {children ? <div className="page-tools">{children}</div> : null}
    </div>
  );
}
