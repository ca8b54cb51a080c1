/** For parts of a page that wait for an answer above them, which would push them down. */
import { useState } from 'react';

/** Whether what is asked has been answered once. It stays so: a part that asks again must not take itself off the page. */
export function useSettled(isAsking: boolean): boolean {
  const [isSettled, setSettled] = useState(!isAsking);
  if (!isSettled && !isAsking) setSettled(true);
  return isSettled || !isAsking;
}
