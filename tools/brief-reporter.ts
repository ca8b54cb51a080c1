/** A reporter that is quiet about what passes and tells everything about what fails. */
import type { TestEvent } from 'node:test/reporters';
import { withSourcePositions } from './source-positions.ts';

export default async function* brief(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  let passed = 0;
  let skipped = 0;
  for await (const event of source) {
    if (event.type === 'test:pass' && event.data.details.type !== 'suite') {
      if (event.data.skip !== undefined) {
        skipped++;
        yield `  skipped: ${event.data.name} (${String(event.data.skip)})\n`;
      } else passed++;
    } else if (event.type === 'test:fail' && event.data.details.error.message !== 'subtestsFailed') {
      const { error } = event.data.details;
      const cause =
        error.cause instanceof Error
          ? (error.cause.stack ?? error.cause.message)
          : String(error.cause ?? error.message);
      yield `\n  FAILED: ${event.data.name} (${event.data.file ?? ''})\n${withSourcePositions(cause).replace(/^/gm, '    ')}\n\n`;
    } else if (event.type === 'test:stderr') yield event.data.message;
  }
  yield `  ${passed} tests passed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`;
}
