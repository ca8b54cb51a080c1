/** Standard output with back-pressure. A reader that goes away (`| head`) ends the command quietly. */

export function endQuietlyWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    process.stderr.write(`cairn: cannot write the output: ${error.message}\n`);
    process.exit(1);
  });
}

export async function print(text: string | Uint8Array): Promise<void> {
  if (process.stdout.write(text)) return;
  await new Promise<void>((resolve) => process.stdout.once('drain', resolve));
}

/** What was printed has left the process: a pipe is written to in the background. */
export function flushed(): Promise<void> {
  return new Promise((resolve) => process.stdout.write('', () => resolve()));
}

/** As they come. A terminal's prompt begins on a line of its own. */
export async function printBytes(bytes: AsyncIterable<Uint8Array>): Promise<void> {
  let last = 0x0a;
  for await (const chunk of bytes) {
    await print(chunk);
    last = chunk.at(-1) ?? last;
  }
  if (process.stdout.isTTY && last !== 0x0a) await print('\n');
}
