/** Reads a log's last lines and goes on with what is appended; complete lines only. */
import { jobOutputOf } from '../../../src/protocol/job-output.ts';
import { noteHeard } from '../api/heard.ts';
import { ask, withQuery } from '../api/request.ts';

export interface FollowOptions {
  readonly path: string;
  /** Only lines that have these words; empty for all. */
  readonly q: string;
  /** Only lines of this level and of worse ones, which the server knows of its own logs; undefined for all. */
  readonly level: string | undefined;
  readonly tail: number;
  readonly isFollowing: boolean;
  readonly signal: AbortSignal;
  /** The server answers: if there are no lines now, the log has none. */
  readonly onOpen: () => void;
  /** Complete lines, in order. */
  readonly onLines: (lines: readonly string[]) => void;
}

/** Ends when the server ends the log, at its end where it is not followed, or with an error. */
export async function followLog(options: FollowOptions): Promise<void> {
  const { path, q, level, tail, isFollowing, signal, onOpen, onLines } = options;
  // The output of a job ends with it, although its node and other jobs there go on.
  const query = {
    tail,
    words: q,
    level,
    follow: isFollowing ? 'true' : undefined,
    job: isFollowing ? jobOutputOf(path)?.job : undefined,
  };
  const response = await ask(withQuery(path, query), { signal });
  onOpen();
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const chunk = await reader?.read();
    if (!chunk || chunk.done) break;
    noteHeard();
    const lines = (rest + chunk.value).split('\n');
    rest = lines.pop() ?? '';
    if (lines.length > 0) onLines(lines);
  }
  if (rest !== '') onLines([rest]);
}
