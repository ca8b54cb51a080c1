/** A password from the terminal, which does not show it, or the first line of standard input. */
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';

export function readPassword(question: string): Promise<string> {
  const { stdin } = process;
  const isTerminal = stdin.isTTY === true;
  if (isTerminal) process.stderr.write(question);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: silent, terminal: isTerminal });
  return new Promise((resolve) => {
    let password = '';
    lines.once('line', (line) => {
      password = line;
      lines.close();
    });
    lines.once('SIGINT', () => process.kill(process.pid, 'SIGINT'));
    lines.once('close', () => {
      if (isTerminal) process.stderr.write('\n');
      stdin.destroy();
      resolve(password);
    });
  });
}
