/** The list of queues (contract section 11), counted by the pool. */

import { queuesSeenBy } from '../../identity/access.ts';
import { streamOf } from '../../streams/pool-stream.ts';
import type { Handler } from '../handler.ts';

export const listQueues: Handler = async ({ exchange }, { main }) => {
  await exchange.stream(
    200,
    'application/json; charset=utf-8',
    streamOf(main, { type: 'queueList', queues: queuesSeenBy(exchange.principal) }),
  );
};
