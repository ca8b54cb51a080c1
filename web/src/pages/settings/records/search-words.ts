/** The words that records are searched for; they stand in the address. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';

export function useWords(): readonly [string, (text: string) => void] {
  const { q: words = '' } = useSearch({ from: '/settings' });
  const navigate = useNavigate({ from: '/settings' });
  const setWords = useCallback(
    (text: string) =>
      void navigate({ search: (before) => ({ ...before, q: text || undefined }), replace: words !== '' }),
    [navigate, words],
  );
  return [words, setWords];
}
