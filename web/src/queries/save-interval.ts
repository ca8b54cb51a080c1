/** How often running jobs are saved. */
import { useQuery } from '@tanstack/react-query';
import { mustDurationMs } from '../../../src/protocol/duration.ts';
import { configQuery } from './server.ts';

/** Seconds between two checkpoints of a job; undefined where jobs are not saved by themselves, or while it is asked for. */
export function useSaveInterval(): number | undefined {
  const { data } = useQuery(configQuery);
  return data?.ckpt.ckptMode === 'iterative' ? mustDurationMs(data.ckpt.ckptInterval) / 1000 : undefined;
}
