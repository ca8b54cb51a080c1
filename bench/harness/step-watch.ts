/**
 * Preloaded into a server (`node --import`): writes down every turn of every thread's event loop that took more than a
 * millisecond of processor time. Processor time and not the clock's, so that whatever else the machine does is not counted.
 * It turns the loops without rest, so nothing else can be measured beside it.
 *
 * `CAIRN_BENCH_STEPS` names the file; a line is `thread milliseconds`.
 */
import { openSync, readFileSync, readlinkSync, writeSync } from 'node:fs';
import { isMainThread, threadId } from 'node:worker_threads';

const NOTED_NS = 1_000_000;

const path = process.env['CAIRN_BENCH_STEPS'];
if (path !== undefined) {
  const file = openSync(path, 'a');
  const stat = `/proc/${readlinkSync('/proc/thread-self')}/schedstat`;
  const thread = isMainThread ? 'main' : String(threadId);
  const usedNs = (): number => Number(readFileSync(stat, 'utf8').split(' ')[0]);
  let before = usedNs();
  const look = (): void => {
    const now = usedNs();
    if (now - before > NOTED_NS) writeSync(file, `${thread} ${((now - before) / 1e6).toFixed(2)}\n`);
    before = now;
    setImmediate(look).unref();
  };
  setImmediate(look).unref();
}
