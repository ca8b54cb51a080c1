/** Answers that come from the pool in chunks. */

import { openChannel } from '../../actors/shard/wire/channel.ts';
import { CodedError, type Failure, failureOf } from '../../base/errors.ts';
import { receiveStream } from '../../workers/bytes/byte-stream.ts';
import type { StreamTask } from '../../workers/task/task.ts';
import type { MainServices } from '../api/services.ts';

/**
 * Starts the task when the first chunk is asked for; `onEnd` runs when no thread works on it any more. With `givesBack` a
 * chunk is the caller's only until it asks for the next one. Its `return` stops the task at once, also while a chunk is
 * waited for.
 */
export function streamOf(
  main: MainServices,
  task: StreamTask,
  { onEnd = () => {}, givesBack = false }: { readonly onEnd?: () => void; readonly givesBack?: boolean } = {},
): AsyncGenerator<Uint8Array> {
  let begun: AsyncGenerator<Uint8Array> | undefined;
  let stop = (): void => {};
  const begin = (): AsyncGenerator<Uint8Array> => {
    const { here, there } = openChannel();
    const refused = new Promise<Failure>((resolve) => {
      main
        .stream(task, there)
        .catch((error: unknown) => {
          resolve(error instanceof CodedError ? failureOf(error) : { name: 'internal', detail: String(error) });
        })
        .finally(onEnd);
    });
    return receiveStream(here, refused, givesBack, (ends) => {
      stop = ends;
    });
  };
  const never = (): AsyncGenerator<Uint8Array> => {
    onEnd();
    return nothing();
  };
  const stream = {
    next: () => {
      begun ??= begin();
      return begun.next();
    },
    return: (value: unknown) => {
      begun ??= never();
      stop();
      return begun.return(value);
    },
    throw: (error: unknown) => {
      begun ??= never();
      return begun.throw(error);
    },
    [Symbol.asyncIterator]: () => stream,
  } as AsyncGenerator<Uint8Array>;
  return stream;
}

export async function* nothing(): AsyncGenerator<Uint8Array> {}
