/** Node logs: the list of files, and every byte of them. */

import { tell } from '../model/differences.ts';
import { logPiece } from '../plan/log-text.ts';
import type { LogRecord, NodeRecord } from '../run/node-record.ts';
import type { RunContext } from '../run/run-context.ts';
import { segment } from '../wire/client.ts';
import { type Comparison, eachOf, type Look } from './comparison.ts';
import type { ReadBack } from './read-back.ts';

const AT_A_TIME = 4;

export async function verifyLogs(comparison: Comparison, readBack: ReadBack, run: RunContext): Promise<void> {
  const logging = [...run.nodes.values()].filter(({ logs }) => logs.size > 0);
  await eachOf(logging, AT_A_TIME, async (record) => {
    await comparison.check('node log lists', () => lookAtList(readBack, record));
    for (const [file, log] of record.logs) {
      await comparison.check('node log files', () => lookAtFile(readBack, run.world.seed, record.life.id, file, log));
    }
  });
}

async function lookAtList(readBack: ReadBack, { life, logs }: NodeRecord): Promise<Look> {
  const listed = (await readBack.json(`/api/v1/nodes/${segment(life.id)}/files`)) as string[];
  const files = listed.map((path) => path.split('/').map(decodeURIComponent).join('/')).sort();
  const expected = [...logs.keys()].map((file) => `/nodes/${life.id}/${file}`).sort();
  const isSame = JSON.stringify(files) === JSON.stringify(expected);
  return { compared: 1, differences: isSame ? [] : [tell(life.id, expected, files)] };
}

async function lookAtFile(
  readBack: ReadBack,
  seed: number,
  nodeId: string,
  file: string,
  log: LogRecord,
): Promise<Look> {
  const path = `/nodes/${segment(nodeId)}/${file.split('/').map(segment).join('/')}`;
  let piece = 0;
  let expected: Buffer = Buffer.alloc(0);
  let size = 0;
  for await (const chunk of readBack.bytes(path)) {
    while (expected.byteLength < chunk.byteLength && piece < log.pieces) {
      expected = Buffer.concat([expected, logPiece(seed, nodeId, file, piece++)]);
    }
    const same = expected.subarray(0, chunk.byteLength);
    if (Buffer.compare(same, chunk) !== 0) {
      return {
        compared: 1,
        differences: [
          tell(`${path} from byte ${size + firstDifference(same, chunk)}`, same.byteLength, chunk.byteLength),
        ],
      };
    }
    expected = expected.subarray(chunk.byteLength);
    size += chunk.byteLength;
  }
  return { compared: 1, differences: size === log.size ? [] : [tell(`${path} size`, log.size, size)] };
}

function firstDifference(a: Buffer, b: Buffer): number {
  const end = Math.min(a.byteLength, b.byteLength);
  for (let i = 0; i < end; i++) if (a[i] !== b[i]) return i;
  return end;
}
