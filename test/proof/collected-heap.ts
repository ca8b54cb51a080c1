/**
 * Loaded into each thread of a server (`--import`) whose memory is watched: collects all garbage every ten seconds. V8 itself does so
 * under a light load only every half an hour, and what memory grows by until then is no leak.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const EVERY_MS = 10_000;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
setInterval(collect, EVERY_MS).unref();
