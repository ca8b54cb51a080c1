/**
 * The shim of `shim/faults.c` under a process of ours: faults of its files that begin and end while it runs, and a wall
 * clock that is off. Built with the machine's C compiler, once for each content.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, readSync, renameSync, writeSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';

const SOURCE = 'test/proof/shim/faults.c';
const CACHE = 'node_modules/.cache/cairn-proof';
const HEAD_BYTES = 128;
const RULE_BYTES = 128;
const RULES_MAX = 16;
const FIRED_AT = 28;
const PATH_AT = 32;

const OPERATIONS = { write: 1, sync: 2, rename: 4, open: 8, truncate: 16, unlink: 32, read: 64 } as const;
const ACTIONS = { error: 1, killBefore: 2, killAfter: 3, sleep: 4, short: 5 } as const;

export interface FaultRule {
  readonly on: readonly (keyof typeof OPERATIONS)[];
  /** Part of the path of the file. */
  readonly path: string;
  readonly action: keyof typeof ACTIONS;
  readonly error?: 'EIO' | 'ENOSPC' | 'EROFS';
  /** Calls that go well before it fires; 0 unless given. */
  readonly skip?: number;
  /** How often it fires; without end unless given. */
  readonly times?: number;
  /** How long `sleep` takes. */
  readonly millis?: number;
  /** Only writes that are flushed when they return: LMDB's meta page, which is the commit. */
  readonly flushedOnly?: boolean;
}

/** Whether there is what builds it. A machine that decides for others must not take its absence for a pass. */
export function hasCompiler(): boolean {
  try {
    execFileSync('cc', ['--version'], { stdio: 'ignore', timeout: 20_000 });
    return true;
  } catch {
    if (process.env['CI']) throw new Error('there is no C compiler for the shim over the file doors: install gcc');
    return false;
  }
}

function build(): string {
  const hash = createHash('sha256').update(readFileSync(SOURCE)).digest('hex').slice(0, 16);
  const library = join(process.cwd(), CACHE, `faults-${hash}.so`);
  if (existsSync(library)) return library;
  mkdirSync(CACHE, { recursive: true });
  const own = `${library}.${process.pid}`;
  execFileSync('cc', ['-O1', '-shared', '-fPIC', '-o', own, SOURCE, '-ldl', '-lpthread'], { timeout: 60_000 });
  renameSync(own, library);
  return library;
}

export class FaultShim {
  readonly undoFolder: string;
  readonly #folder: string;
  readonly #file: number;
  readonly #library: string;

  /** `folder`: an empty one of its own. */
  constructor(folder: string) {
    mkdirSync(folder, { recursive: true });
    this.#folder = folder;
    this.undoFolder = join(folder, 'undo');
    this.#library = build();
    this.#file = openSync(join(folder, 'control'), 'w+');
    writeSync(this.#file, Buffer.alloc(HEAD_BYTES + RULES_MAX * RULE_BYTES), 0, undefined, 0);
  }

  /** What the process is started with; `undoRoot`: below it, what is not flushed can be undone afterwards. */
  env(undoRoot?: string): Record<string, string> {
    if (undoRoot !== undefined) mkdirSync(this.undoFolder, { recursive: true });
    return {
      LD_PRELOAD: this.#library,
      CAIRN_FAULTS: join(this.#folder, 'control'),
      ...(undoRoot === undefined ? {} : { CAIRN_UNDO: this.undoFolder, CAIRN_UNDO_ROOT: undoRoot }),
    };
  }

  /** Takes the place of all rules. */
  set(...rules: readonly FaultRule[]): void {
    if (rules.length > RULES_MAX) throw new RangeError(`at most ${RULES_MAX} rules`);
    // None is in force while they change.
    this.#use(0);
    for (const [i, rule] of rules.entries())
      writeSync(this.#file, packed(rule), 0, undefined, HEAD_BYTES + i * RULE_BYTES);
    this.#use(rules.length);
  }

  clear(): void {
    this.set();
  }

  /** How often the rule has fired. */
  fired(rule = 0): number {
    const bytes = Buffer.alloc(4);
    readSync(this.#file, bytes, 0, 4, HEAD_BYTES + rule * RULE_BYTES + FIRED_AT);
    return bytes.readInt32LE(0);
  }

  /** How far the wall clock of the process is off, from now on. */
  set clockMs(ms: number) {
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64LE(BigInt(ms));
    writeSync(this.#file, bytes, 0, undefined, 0);
  }

  close(): void {
    closeSync(this.#file);
  }

  #use(count: number): void {
    const bytes = Buffer.alloc(4);
    bytes.writeInt32LE(count);
    writeSync(this.#file, bytes, 0, undefined, 8);
  }
}

function packed(rule: FaultRule): Buffer {
  const bytes = Buffer.alloc(RULE_BYTES);
  const numbers = [
    rule.on.reduce((sum, name) => sum | OPERATIONS[name], 0),
    ACTIONS[rule.action],
    rule.error === undefined ? 0 : constants.errno[rule.error],
    rule.skip ?? 0,
    rule.times ?? -1,
    rule.millis ?? 0,
    rule.flushedOnly ? 1 : 0,
    0,
  ];
  for (const [i, number] of numbers.entries()) bytes.writeInt32LE(number, i * 4);
  bytes.write(rule.path, PATH_AT, 'utf8');
  return bytes;
}
