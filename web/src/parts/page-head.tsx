/** The head of every page. */
import { type ReactNode, useEffect, useSyncExternalStore } from 'react';
import { CopyButton } from './command-line.tsx';
import { localText } from './time.tsx';

interface PageHeadProps {
  /** Of the page, in its heading and in the tab. */
  readonly title: string;
  /** Link to the list that the page is of one row of. */
  readonly trail?: ReactNode;
  /** What people call it, below the title. */
  readonly subtitle?: string | undefined;
  /** The id in the title, which commands and colleagues ask for; `what` as it follows "Copy". */
  readonly id?: { readonly text: string; readonly what: string };
  readonly children?: ReactNode;
}

export function PageHead({ title, trail, subtitle, id, children }: PageHeadProps): ReactNode {
  useEffect(() => {
    document.title = `${title} · Cairn`;
  }, [title]);
  return (
    <div className="page-head">
      <div className="page-title">
        {trail ? <div className="trail">{trail}</div> : null}
        <div className="page-heading">
          <h1>{title}</h1>
          {id ? <CopyButton {...id} /> : null}
        </div>
        {subtitle ? <p className="page-subtitle">{subtitle}</p> : null}
        <PrintLine />
      </div>
      {children ? <div className="page-tools">{children}</div> : null}
    </div>
  );
}

/** When the page was printed last, or drawn. */
let printedMs = Date.now();

function subscribe(listener: () => void): () => void {
  const print = (): void => {
    printedMs = Date.now();
    listener();
  };
  window.addEventListener('beforeprint', print);
  return () => window.removeEventListener('beforeprint', print);
}

/** On paper only: of which server the page is, and of when. */
function PrintLine(): ReactNode {
  const atMs = useSyncExternalStore(subscribe, () => printedMs);
  return (
    <p className="print-only small">
      {window.location.host} · printed {localText(new Date(atMs).toISOString())}
    </p>
  );
}
