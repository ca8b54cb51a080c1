/**
 * A value that another tab hands to the form of a setting, as an edit that is not applied. It is in the browser's history, not
 * in the address: no link from elsewhere fills in a form.
 */
import { useLocation, useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { Draft } from './value-text.ts';

declare module '@tanstack/react-router' {
  interface HistoryState {
    readonly draft?: Draft | undefined;
  }
}

/** The one that came with this entry of the history. It is taken once: what is discarded does not come back with a reload. */
export function useDraft(): Draft | undefined {
  const handed = useLocation().state.draft;
  const [draft] = useState(handed);
  const navigate = useNavigate({ from: '/settings' });
  useEffect(() => {
    if (handed === undefined) return;
    void navigate({
      search: (before) => before,
      hash: (before) => before ?? '',
      replace: true,
      // The edit is in the form by now.
      ignoreBlocker: true,
      resetScroll: false,
      hashScrollIntoView: false,
    });
  }, [handed, navigate]);
  return draft;
}
