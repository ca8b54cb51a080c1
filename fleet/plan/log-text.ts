/** What a node's log says: the k-th piece of a file is a function of the seed, so that the comparison can say it again. */
import { streamOf } from './stream.ts';

const WORDS = [
  'checkpoint',
  'image',
  'volume',
  'restored',
  'übertragen',
  'pages',
  'dump',
  '→',
  'cgroup',
  'ready',
  'µs',
] as const;
const LINES_MAX = 40;

/** Some whole lines; now and then the last one is cut in the middle, as a writer's buffer is. */
export function logPiece(seed: number, nodeId: string, file: string, piece: number): Buffer {
  const random = streamOf(seed, 'log', nodeId, file, piece);
  const lines: string[] = [];
  for (let i = 1 + random.int(LINES_MAX); i > 0; i--) {
    const words = Array.from({ length: 3 + random.int(9) }, () => random.pick(WORDS));
    lines.push(`${piece}.${i} ${words.join(' ')}`);
  }
  return Buffer.from(lines.join('\n') + (random.chance(0.8) ? '\n' : ''));
}
