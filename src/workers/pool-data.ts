/** What main handed to the pool's threads. Apart, so that only this file knows how piscina wraps it. */
import { workerData } from 'piscina';
import type { PoolData } from './task.ts';

export function poolData(): PoolData {
  return workerData as PoolData;
}
