/**
 * 10,000 workers over TLS that connect and register at once: for the first time, at the moment when the server is back after
 * kill -9, and again with and without the TLS session of their last connection.
 *
 * Measured: time from the word to the last 200, and each client's; CPU per client; how many handshakes resumed a session; the
 * server's memory with all connected; nodes declared lost (node.ttl is 30 s here, the time in which all should be back).
 * Excluded: the start of the server: clients set off at its ready line, all in the same moment, which is the worst case.
 * The clients' own handshakes take the same cores: times are an upper bound, CPU per client is the figure to compare.
 * Sketch: a full handshake with ECDSA P-256 costs the server 150 µs, a resumed one 60 to 100, a registration 30: with the
 * clients' side 10,000 take some 5 s on two cores. 20 to 40 KiB a connection: 400 MiB. Budget: all back within 30 s.
 */
import { countNodes, setConfig } from '../harness/ask.ts';
import { type CairnUnderTest, startCairn } from '../harness/peer-process.ts';
import type { Row, Scenario } from '../harness/table.ts';
import { cpuSeconds, peakMiB, residentMiB } from '../load/process-cpu.ts';
import { Storm } from '../load/storm.ts';
import type { StormResult } from '../load/storm-plan.ts';

export const connectStorm: Scenario = {
  name: 'connect-storm',
  rounds: 1,
  run: async ({ smoke, progress }) => {
    const clients = smoke ? 30 : 10_000;
    let server: CairnUnderTest = await startCairn([], 'https');
    let storm: Storm | undefined;
    try {
      await setConfig(server, { 'node.heartbeat': '5s', 'node.ttl': '30s' });
      storm = await Storm.of(server.host, server.port, clients);
      progress(`${clients} clients for the first time`);
      const rows = [await stormRow('first time', storm, server, false)];
      await storm.drop();
      progress('after kill -9 of the server');
      server = await server.restart();
      const back = await stormRow('after a restart', storm, server, true);
      const [running, lost] = [await countNodes(server, 'running'), await countNodes(server, 'lost')];
      rows.push({ ...back, facts: { ...back.facts, 'nodes running, lost': `${running}, ${lost}` } });
      progress('again, with and without sessions');
      await storm.drop();
      rows.push(await stormRow('again, sessions', storm, server, true));
      await storm.drop();
      rows.push(await stormRow('again, no sessions', storm, server, false));
      return rows;
    } finally {
      storm?.end();
      await server.stop();
    }
  },
};

async function stormRow(name: string, storm: Storm, { pid }: CairnUnderTest, resume: boolean): Promise<Row> {
  const before = cpuSeconds(pid);
  const result = await storm.run({ resume });
  return rowOf(name, result, cpuSeconds(pid) - before, pid);
}

function rowOf(name: string, { backMs, broken, resumed, statuses }: StormResult, cpu: number, pid: number): Row {
  const sorted = [...backMs].sort((a, b) => a - b);
  const at = (q: number): number => sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? 0;
  const allBackMs = at(1);
  const others = Object.entries(statuses).filter(([status]) => status !== '200');
  return {
    name,
    unit: 'client',
    perSecond: (sorted.length * 1000) / allBackMs,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    cpuMicroseconds: (cpu * 1e6) / sorted.length,
    facts: {
      'all back after, ms': allBackMs,
      'handshakes resumed, %': (100 * resumed) / sorted.length,
      'connections that broke and came again': broken,
      'answers other than 200':
        others.length === 0 ? 'none' : others.map(([status, n]) => `${n} × ${status}`).join(', '),
      'memory, MiB': residentMiB(pid),
      'memory at most, MiB': peakMiB(pid),
    },
  };
}
