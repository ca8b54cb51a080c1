/** The head of every page. */
import { type ReactNode, useEffect } from 'react';

/** Title of the page, in its heading and in the tab. */
export function PageHead({ title, children }: { title: string; children?: ReactNode }): ReactNode {
  useEffect(() => {
    document.title = `${title} · Cairn`;
  }, [title]);
  return (
    <div className="page-head">
      <h1>{title}</h1>
      {children ? <div className="page-tools">{children}</div> : null}
    </div>
  );
}
