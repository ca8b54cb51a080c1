/** The parsers that are fuzzed: what they are given, with which errors they may refuse it, and what must hold of what they take. */
import { pack } from 'msgpackr';
import { entriesOf } from '../../agent/images/blocks.ts';
import { CodedError } from '../../src/base/errors.ts';
import { parseBody } from '../../src/gateway/body/parse-body.ts';
import { rangeOf } from '../../src/gateway/http/byte-range.ts';
import { cursorOf, positionOfCursor } from '../../src/gateway/lists/cursor.ts';
import { readServerFrame } from '../../src/protocol/beat-frame.ts';
import { changeConfigByText, newConfig } from '../../src/protocol/config/config.ts';
import { formatDuration, tryParseDuration } from '../../src/protocol/duration.ts';
import { trySplitTimestamp } from '../../src/protocol/timestamp.ts';
import { parseManifest, parseManifestHead } from '../../src/store/backup/manifest.ts';
import { statedSize, statedTime, tarHeader } from '../../src/store/backup/tar-header.ts';
import { decodeEvent, encodeEvent } from '../../src/store/commit/event-log.ts';
import { checkedValue, withChecksum } from '../../src/store/kv/checksum.ts';
import { textKey } from '../../src/store/kv/keys.ts';
import { visitWrites, WriteBatch } from '../../src/store/kv/write-batch.ts';
import { nodeLogFile } from '../../src/store/logs/node-log-name.ts';
import { EventRow, encodeEventRow } from '../../src/store/records/job-event-row.ts';
import { decodeJobRecord } from '../../src/store/records/job-record.ts';
import { decodeNodeRecord } from '../../src/store/records/node-record.ts';
import { decodeFrame, encodeFrame, NO_DIGEST } from '../../src/store/replica/frame.ts';
import { bodiesOf, encodeSegment, metricsOf } from '../../src/store/series/series-segment.ts';
import { CONFIG_SEEDS } from '../support/config-seeds.ts';
import { event, timed } from '../support/job-events.ts';

export interface Parser {
  readonly name: string;
  readonly seeds: readonly (string | Uint8Array)[];
  /** Throws where what it took is not what it should be. */
  readonly parse: (input: Buffer) => void;
  readonly refuses: (error: unknown) => boolean;
}

const never = (): boolean => false;
const coded = (error: unknown): boolean => error instanceof CodedError;
/** A sentence for people, and no slip of the program. */
const sentence = (error: unknown): boolean =>
  error instanceof Error && !(error instanceof TypeError) && !(error instanceof RangeError);

function must(holds: boolean, what: string): void {
  if (!holds) throw new TypeError(`taken, but ${what}`);
}

const CONFIG = newConfig(CONFIG_SEEDS);
const MINUTE = 60_000;
const BUCKET = { startMs: 0, count: 2, sum: [3], min: 1, max: 2, last: 2, lastMs: 5, lastNs: 0 };
const SEGMENT = encodeSegment(
  new Map([
    ['queue-a', new Map([['runtime', [BUCKET]]])],
    ['node-b', new Map([['cpuPercent', [BUCKET, { ...BUCKET, startMs: MINUTE }]]])],
  ]),
  0,
  MINUTE,
);
const HASH = 'a'.repeat(64);
const MANIFEST = {
  format: 'cairn-backup/1',
  server: 's',
  createdAt: '2026-01-31T08:00:00.000Z',
  version: '0.1.0',
  schema: 2,
  dataFolder: '/d',
  logFolder: '/l',
  files: [{ path: 'config.json', size: 3, sha256: HASH }],
};

function storedValue(key: string | Buffer, value: string | Uint8Array): Buffer {
  const bytes = typeof value === 'string' ? Buffer.from(value, 'latin1') : Buffer.from(value);
  return Buffer.from(withChecksum('job', Buffer.from(key), bytes));
}

function writes(): Uint8Array {
  const batch = new WriteBatch();
  batch.put('job', textKey('job-1'), textKey('a value'));
  batch.remove('jobIndex', textKey('row'));
  return batch.seal();
}

export const PARSERS: readonly Parser[] = [
  {
    name: 'durations',
    seeds: ['30s', '5m0s', '1h0m0s', '1.5h', '-2us', '100ms1ns', '2562047h47m16.854775807s'],
    parse: (input) => {
      const ns = tryParseDuration(input.toString());
      if (ns !== undefined) must(tryParseDuration(formatDuration(ns)) === ns, 'its own form is another duration');
    },
    refuses: never,
  },
  {
    name: 'timestamps',
    seeds: [
      '2026-01-31T08:00:00Z',
      '2024-02-29T23:59:59.123456789Z',
      '0001-01-01T00:00:00.5Z',
      '2026-01-31T08:00:00+00:00',
    ],
    parse: (input) => {
      const text = input.toString();
      const time = trySplitTimestamp(text);
      if (!time) return;
      const whole = new Date(time.ms).toISOString().slice(0, 19);
      must(whole === text.slice(0, 19).toUpperCase(), 'another time by the platform’s calendar');
    },
    refuses: never,
  },
  {
    name: 'settings as text',
    seeds: [
      'node.ttl\n5m',
      'job.customTags\na:b,c:d',
      'security.idp.adminGroups\na,b',
      'log.level\ndebug',
      'addr\nhttp://127.0.0.1:1',
    ],
    parse: (input) => {
      const [key = '', ...rest] = input.toString().split('\n');
      const result = changeConfigByText(CONFIG, { [key]: rest.join('\n') });
      if (!result.ok) must(Object.keys(result.fields).length > 0, 'refused without a reason');
    },
    refuses: never,
  },
  {
    name: 'bodies in JSON',
    seeds: [
      '{"id":"j","events":[{"eventType":"Job-Running","timestamp":"2026-01-31T08:00:00Z"}]}',
      '[{"id":"n"}]',
      '1e5',
    ],
    parse: (input) => void parseBody('json', input),
    refuses: coded,
  },
  {
    name: 'bodies in JSON lines',
    seeds: ['{"id":"a"}\n{"id":"b"}\n', '\n\n{"id":"c"}\r\n'],
    parse: (input) => void parseBody('ndjson', input),
    refuses: coded,
  },
  {
    name: 'bodies in MessagePack',
    seeds: [
      pack({ id: 'j', events: [{ timestamp: 'x' }] }),
      pack([{ id: 'n', metrics: { a: 1.5 } }]),
      pack({ seq: 1, beats: [] }),
    ],
    parse: (input) => void parseBody('msgpack', input),
    refuses: coded,
  },
  {
    name: 'frames of the server',
    seeds: [
      '{"seq":1,"accepted":2,"unknown":[],"nextBeatMs":5,"configVersion":1}',
      '{"type":"config","configVersion":3}',
    ],
    parse: (input) => {
      let json: unknown;
      try {
        json = JSON.parse(input.toString());
      } catch {
        return;
      }
      readServerFrame(json);
    },
    refuses: sentence,
  },
  {
    name: 'cursors',
    seeds: [cursorOf(Buffer.from('job-1'), 'jobs'), 'AAAAAAAAAAAAAAAA', '-_'],
    parse: (input) => {
      const text = input.toString();
      const position = positionOfCursor(text, 'jobs');
      if (!position) return;
      const own = cursorOf(position, 'jobs');
      // The last digit of base64 may carry bits that belong to no byte.
      must(Buffer.from(own, 'base64url').equals(Buffer.from(text, 'base64url')), `its own form is ${own}`);
    },
    refuses: never,
  },
  {
    name: 'paths of node logs',
    seeds: ['var/log/a.log', '../x', 'a//b', './a', 'a/../../b', '.cairn-trim-x'],
    parse: (input) => {
      const file = nodeLogFile('/log', { nodeId: 'n', path: input.toString() });
      if (file !== undefined)
        must(file.startsWith('/log/nodes/n/') && !file.split('/').includes('..'), `it is ${file}`);
    },
    refuses: never,
  },
  {
    name: 'ranges of bytes',
    seeds: ['bytes=0-', 'bytes=-5', 'bytes=1-2', 'bytes=9-1', 'bytes=-2000', 'bytes=0-2000', 'bytes=2000-'],
    parse: (input) => {
      const range = rangeOf(input.toString('latin1'), 1_000);
      if (range && range !== 'unsatisfiable')
        must(
          Object.values(range).every((at) => Number.isInteger(at) && at >= 0 && at <= 1_000),
          'outside of the file',
        );
    },
    refuses: never,
  },
  {
    name: 'blocks of series',
    seeds: [SEGMENT],
    parse: (input) => {
      for (const { body } of bodiesOf(input)) for (const _ of metricsOf(body));
    },
    refuses: coded,
  },
  {
    name: 'rows of events',
    seeds: [encodeEventRow([timed(event('08:00:00', 'Job-Running', { detail: 'x' }))], [])],
    parse: (input) => void new EventRow(1, input).events.map(({ whole }) => whole),
    refuses: coded,
  },
  {
    name: 'records of jobs',
    seeds: [Buffer.from([1, 0, 0]), Buffer.from('{}')],
    parse: (input) => void decodeJobRecord(input),
    refuses: coded,
  },
  {
    name: 'records of nodes',
    seeds: [Buffer.from([1, 0, 0]), Buffer.from('{}')],
    parse: (input) => void decodeNodeRecord(input),
    refuses: coded,
  },
  {
    name: 'records of the event log',
    seeds: [encodeEvent({ type: 'job.event', timeMs: 1, queue: 'q', job: 'j', node: 'n', json: '{}' })],
    parse: (input) => void decodeEvent(input),
    refuses: never,
  },
  {
    name: 'values with checksums',
    seeds: [
      storedValue('job-1', 'a value'),
      storedValue('k', '\xc1'),
      'a value of before there were checksums',
      '\xc1',
    ],
    parse: (input) => {
      const key = Buffer.from('job-1');
      const value = checkedValue(key, input);
      // What is taken is what was written, or has no mark: it is older than checksums.
      if (value && value !== input)
        must(storedValue(key, value).subarray(1).equals(input.subarray(1)), 'not as written');
      else if (value) must(input[0] !== 0xc1, 'though its checksum does not fit');
      if (input.byteLength > 0) {
        const read = checkedValue(key, storedValue(key, input));
        must(read !== undefined && Buffer.from(read).equals(input), 'not read as it was written');
      }
    },
    refuses: never,
  },
  {
    name: 'batches of writes',
    seeds: [writes()],
    parse: (input) => {
      const again = new WriteBatch();
      visitWrites(input, {
        put: (table, key, value) => again.put(table, key, value),
        remove: (table, key) => again.remove(table, key),
      });
      must(input.equals(again.seal()), 'its own form is another batch');
    },
    refuses: coded,
  },
  {
    name: 'frames of a cluster',
    seeds: [
      encodeFrame({ kind: 'writes', part: 0, parts: 1, term: 3, timeMs: 5, previous: NO_DIGEST, payload: writes() }),
    ],
    parse: (input) => {
      const { payload, ...rest } = decodeFrame(input);
      const again = decodeFrame(encodeFrame({ ...rest, payload }));
      must(again.kind === rest.kind && Buffer.from(again.payload).equals(payload), 'its own form is another frame');
    },
    refuses: coded,
  },
  {
    name: 'manifests of backups',
    seeds: [JSON.stringify(MANIFEST)],
    parse: (input) => {
      parseManifestHead(input.toString());
      parseManifest(input.toString());
    },
    refuses: sentence,
  },
  {
    name: 'headers of archives',
    seeds: [tarHeader({ path: 'a/b', size: 5, mtime: 1_769_846_400 } as never)],
    parse: (input) => {
      const size = statedSize(input);
      if (size !== undefined) must(Number.isSafeInteger(size) && size >= 0, `its size is ${size}`);
      statedTime(input);
    },
    refuses: never,
  },
  {
    name: 'lists of blocks of images',
    seeds: [`${HASH} p-1.pack 0 4096\n`, `zero 5\n${HASH} p.pack 5 9 zstd 3\n`],
    parse: (input) => void entriesOf(input.toString()),
    refuses: sentence,
  },
];
