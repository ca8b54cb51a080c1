/** The load generator's process: takes one plan over IPC, runs it, sends the result, ends. */
import { type LoadPlan, runLoad } from './http-load.ts';

process.once('message', (plan: LoadPlan) => {
  void runLoad({ ...plan, bytes: plan.bytes.map((bytes) => Uint8Array.from(bytes)) }).then(({ latencies, ...rest }) => {
    process.send?.({ ...rest, counts: [...latencies.counts] }, () => process.exit(0));
  });
});
