/** A server with something to show: a real fleet of nodes and jobs, played to its end by `cairn fleet`. */
import { spawn } from 'node:child_process';

export interface PlayedFleet {
  readonly nodes: number;
  readonly jobs: number;
  /** Real time; an hour of history a second. */
  readonly duration: string;
}

const SMALL: PlayedFleet = { nodes: 40, jobs: 400, duration: '6s' };

export async function playFleet(server: string, prefix: string, fleet = SMALL): Promise<void> {
  const size = ['--nodes', `${fleet.nodes}`, '--jobs', `${fleet.jobs}`, '--queues', '4', '--duration', fleet.duration];
  const args = [...size, '--speed', '3600', '--no-verify'];
  const child = spawn(
    process.execPath,
    ['bundle/src/main.js', 'fleet', '--server', server, '--prefix', prefix, '--quiet', ...args],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve));
  if (code !== 0) throw new Error(`the fleet ended with ${code}; it said: ${said}`);
}
