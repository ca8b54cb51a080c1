/** A server of a cluster, with the replicated writer. */
import type { Worker } from 'node:worker_threads';
import { ReplicaControl } from '../actors/shard/writer/replica-control.ts';
import type { WriterControl } from '../actors/shard/writer/writer-messages.ts';
import { ClusterServer } from './cluster-server.ts';
import type { ClusterSettings, ServerOptions } from './options.ts';
import { openWriter } from './parts.ts';

/** The writer lets go of the lease and closes the database; what it has acknowledged is on disk before. */
const CLOSE_MS = 10_000;

/** Resolves when the server answers. Throws a sentence for the operator. */
export async function startInCluster(options: ServerOptions, settings: ClusterSettings): Promise<ClusterServer> {
  const writer: { thread?: Worker; isClosing: boolean } = { isClosing: false };
  return ClusterServer.start({
    options,
    advertise: settings.advertise,
    openReplica: async (self, news) => {
      const { advertise: _, ...engine } = settings;
      const { dataFolder, logFolder } = options;
      const writerParts = await openWriter(options, { ...engine, self, dataFolder, logFolder });
      writer.thread = writerParts.writerThread;
      // Also where it wants the process to start again: over a database that it has set aside, say.
      writer.thread.on('exit', () => {
        if (!writer.isClosing) options.onGiveUp();
      });
      return { replica: new ReplicaControl(writer.thread, news), writerParts };
    },
    close: async () => {
      const { thread } = writer;
      writer.isClosing = true;
      if (!thread) return;
      const timer = setTimeout(() => void thread.terminate(), CLOSE_MS);
      const ended = new Promise((resolve) => thread.once('exit', resolve));
      thread.postMessage({ type: 'stop' } satisfies WriterControl);
      await ended;
      clearTimeout(timer);
    },
  });
}
