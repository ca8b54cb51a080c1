/** Machines on a network of their own: network namespaces on a bridge, which the machine that runs the test is on, too. Needs root. */
import { execFileSync } from 'node:child_process';

const COMMAND_MS = 10_000;

/** Why there can be none here; null where there can. */
export function lanAbsent(): string | null {
  const name = `cairn-try-${process.pid}`;
  if (!tryRun('ip', 'netns', 'add', name)) return 'network namespaces need root, and ip';
  tryRun('ip', 'netns', 'del', name);
  return null;
}

export class Lan {
  readonly #names: readonly string[];
  readonly #tag = `${process.pid % 100_000}`;
  readonly #net = process.pid % 250;

  constructor(names: readonly string[]) {
    this.#names = names;
  }

  build(): void {
    const bridge = this.#bridge;
    run('ip', 'link', 'add', bridge, 'type', 'bridge');
    run('ip', 'addr', 'add', `10.214.${this.#net}.1/24`, 'dev', bridge);
    run('ip', 'link', 'set', bridge, 'up');
    for (const name of this.#names) {
      const [space, cable] = [this.#space(name), this.#cable(name)];
      run('ip', 'netns', 'add', space);
      run('ip', 'link', 'add', cable, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', space);
      run('ip', 'link', 'set', cable, 'master', bridge, 'up');
      run('ip', '-n', space, 'addr', 'add', `${this.ip(name)}/24`, 'dev', 'eth0');
      run('ip', '-n', space, 'link', 'set', 'eth0', 'up');
      run('ip', '-n', space, 'link', 'set', 'lo', 'up');
    }
  }

  /** Of this name, as the others reach it. */
  ip(name: string): string {
    return `10.214.${this.#net}.${11 + this.#names.indexOf(name)}`;
  }

  /** The command that runs another one in there. */
  within(name: string): [string, ...string[]] {
    return ['ip', 'netns', 'exec', this.#space(name)];
  }

  /** Runs a command in there, and returns what it prints. */
  inside(name: string, ...command: readonly string[]): string {
    const [program, ...args] = [...this.within(name), ...command];
    return execFileSync(program, args, { encoding: 'utf8', timeout: COMMAND_MS, maxBuffer: 16 * 1024 * 1024 });
  }

  /** A setting of the kernel, for this machine alone. */
  set(name: string, setting: string, value: string): void {
    this.inside(name, 'sysctl', '-q', '-w', `${setting}=${value}`);
  }

  /** What it sends reaches nobody, and nothing reaches it. */
  part(name: string): void {
    run('ip', 'link', 'set', this.#cable(name), 'down');
  }

  heal(name: string): void {
    run('ip', 'link', 'set', this.#cable(name), 'up');
  }

  /** Never throws. */
  remove(): void {
    for (const name of this.#names) {
      tryRun('ip', 'link', 'del', this.#cable(name));
      tryRun('ip', 'netns', 'del', this.#space(name));
    }
    tryRun('ip', 'link', 'del', this.#bridge);
  }

  get #bridge(): string {
    return `cl${this.#tag}`;
  }

  #space(name: string): string {
    return `cairn-lan-${this.#tag}-${name}`;
  }

  #cable(name: string): string {
    return `cl${this.#tag}-${this.#names.indexOf(name)}`;
  }
}

function run(program: string, ...args: readonly string[]): void {
  execFileSync(program, args, { stdio: ['ignore', 'ignore', 'pipe'], timeout: COMMAND_MS });
}

function tryRun(program: string, ...args: readonly string[]): boolean {
  try {
    run(program, ...args);
    return true;
  } catch {
    return false;
  }
}
