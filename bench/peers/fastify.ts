/**
 * What a good Node web framework makes of a heartbeat: parse the body, keep the last beat in a map, answer. No schema, no
 * log, no liveness, nothing on disk.
 */
import Fastify from 'fastify';

interface LastBeat {
  time: number;
  metrics: Readonly<Record<string, number>> | undefined;
}

const beats = new Map<string, LastBeat>();
const app = Fastify({ logger: false });

app.post<{ Params: { id: string }; Body: { metrics?: Record<string, number> } }>(
  '/api/v1/node/:id/heartbeat',
  ({ params, body }) => {
    const last = beats.get(params.id);
    if (last) {
      last.time = Date.now();
      last.metrics = body.metrics;
    } else beats.set(params.id, { time: Date.now(), metrics: body.metrics });
    return Promise.resolve({ nextBeatMs: 30_000, configVersion: 1 });
  },
);

const address = await app.listen({ host: '127.0.0.1', port: 0 });
process.stdout.write(`ready ${address}\n`);
process.on('SIGTERM', () => process.exit(0));
