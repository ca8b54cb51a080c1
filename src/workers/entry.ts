/** What a pool thread runs. It opens the store once, for reading only. */
import { unreachable } from '../base/assert.ts';
import { CodedError, failureOf } from '../base/errors.ts';
import { openLmdbReader } from '../store/kv/lmdb-store.ts';
import type { Reader } from '../store/kv/store.ts';
import { jobBundle } from './bundle/job-bundle.ts';
import { jobOutputPage } from './bundle/job-output.ts';
import { BufferPool } from './bytes/buffer-pool.ts';
import { sendStream } from './bytes/byte-stream.ts';
import { jobCount } from './jobs/job-count.ts';
import { jobDetail } from './jobs/job-detail.ts';
import { jobFigures } from './jobs/job-figures.ts';
import { jobList } from './jobs/job-list.ts';
import { queueList } from './jobs/queue-list.ts';
import { textIndexOf } from './jobs/text-index.ts';
import { logRead } from './logs/log-read.ts';
import { logTail } from './logs/log-tail.ts';
import { reclaimList } from './reclaims/reclaim-list.ts';
import { endedNodeFigures } from './rows/ended-node-figures.ts';
import { eventPage } from './rows/event-page.ts';
import { dailyRollup } from './series/daily-rollup.ts';
import { mergeBlocks } from './series/merge-blocks.ts';
import { metricList } from './series/metric-list.ts';
import { endedNodes, expiredChunks, expiredJobs, staleDays } from './series/retention.ts';
import { seriesAnswer } from './series/series-answer.ts';
import { endSeries, removeCoarse } from './series/series-expiry.ts';
import { summaryAnswer } from './series/summary.ts';
import { usedMetrics } from './series/used-metrics.ts';
import { WindowTexts } from './series/window-texts.ts';
import { handedOver, type PoolInput, poolData } from './task/pool-data.ts';
import type { AnswerTask, StreamTask, TaskOutcome } from './task/task.ts';
import { yieldToOthers } from './task/thread-priority.ts';
import { warmUp } from './warm-up.ts';

const { databaseFolder, isBackground, threads } = poolData();
if (isBackground) yieldToOthers();
const reader: Reader = openLmdbReader(databaseFolder);
const texts = new WindowTexts(threads);

export default async function run({ task, port }: PoolInput): Promise<unknown> {
  try {
    if (task === 'warmUp') return { failure: null, value: await warmUp() } satisfies TaskOutcome;
    reader.refresh();
    if (!port) return handedOver({ failure: null, value: await answer(task as AnswerTask) });
    const bufferPool = new BufferPool();
    await sendStream(port, streamOf(task as StreamTask, bufferPool), bufferPool);
    // Its reader has all by now, and the next one finds the index made.
    if (looksForText(task as StreamTask)) await textIndexOf(reader).keepUp(reader);
    return { failure: null, value: undefined } satisfies TaskOutcome;
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    return { failure: failureOf(error), value: undefined } satisfies TaskOutcome;
  } finally {
    // Without a task the thread sleeps, and its timers too: the snapshot that it read would stay, and no page freed since be used again.
    reader.refresh();
  }
}

function looksForText(task: StreamTask): boolean {
  return (
    (task.type === 'jobCount' && task.filter.q !== undefined) ||
    (task.type === 'jobList' && task.query.filter.q !== undefined)
  );
}

function streamOf(task: StreamTask, bufferPool: BufferPool): AsyncIterable<Uint8Array> {
  switch (task.type) {
    case 'jobList':
      return jobList(reader, task, bufferPool);
    case 'jobDetail':
      return jobDetail(reader, task);
    case 'jobBundle':
      return jobBundle(reader, task);
    case 'jobCount':
      return jobCount(reader, task);
    case 'queueList':
      return queueList(reader, task.queues);
    case 'metricList':
      return metricList(reader, task);
    case 'logRead':
      return logRead(task, bufferPool);
    case 'reclaimList':
      return reclaimList(reader, task);
    default:
      return unreachable(task);
  }
}

function answer(task: AnswerTask): unknown {
  switch (task.type) {
    case 'series':
      return seriesAnswer(reader, task, texts);
    case 'summary':
      return summaryAnswer(reader, task);
    case 'expiredJobs':
      return expiredJobs(reader, task);
    case 'endedNodes':
      return endedNodes(reader, task);
    case 'expiredChunks':
      return expiredChunks(reader, task);
    case 'removeCoarse':
      return removeCoarse(reader, task);
    case 'endSeries':
      return endSeries(reader, task);
    case 'usedMetrics':
      return usedMetrics(reader, task);
    case 'jobFigures':
      return jobFigures(reader, task);
    case 'endedNodeFigures':
      return endedNodeFigures(reader, task);
    case 'staleDays':
      return staleDays(reader, task);
    case 'mergeBlocks':
      return mergeBlocks(reader, task);
    case 'dailyRollup':
      return dailyRollup(reader, task);
    case 'jobOutput':
      return jobOutputPage(reader, task);
    case 'eventPage':
      return eventPage(reader, task);
    case 'logTail':
      return logTail(task);
    default:
      return unreachable(task);
  }
}
