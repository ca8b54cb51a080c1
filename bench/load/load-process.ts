/** The load generator's process: takes a plan, connects, waits for the word to go, runs, tells, ends. */
import { Load } from './load.ts';
import type { FromLoad, LoadPlan } from './load-plan.ts';

const tell = (message: FromLoad, then: () => void = () => {}): void => {
  process.send?.(message, then);
};

// Without the bench there is nobody to tell; a bench that was killed leaves no load behind.
process.once('disconnect', () => process.exit(1));
process.once('message', (plan: LoadPlan) => {
  void run(plan)
    .catch((error: Error) => ({ type: 'failed', message: error.message }) as const)
    .then((last) => tell(last, () => process.exit(0)));
});

async function run(plan: LoadPlan): Promise<FromLoad> {
  const load = new Load(plan);
  await load.connect();
  const go = new Promise<void>((resolve) => process.once('message', () => resolve()));
  tell({ type: 'connected' });
  await go;
  return { type: 'done', result: await load.run((index) => tell({ type: 'phase', index })) };
}
