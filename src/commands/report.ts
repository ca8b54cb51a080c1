/** What a command on the server's own host says when it is done: sentences, or the same facts for a program. */
import type { FlagValues } from '../base/command-input.ts';
import { csvRow } from '../protocol/lists/csv.ts';

/** `text` ends with a line break. */
export function report(values: FlagValues, text: string, facts: Readonly<Record<string, unknown>>): void {
  process.stdout.write(formed(values['json'] ? 'json' : values['output'], text, facts));
}

function formed(form: FlagValues[string], text: string, facts: Readonly<Record<string, unknown>>): string {
  switch (form) {
    case 'json':
    case 'ndjson':
      return `${JSON.stringify(facts)}\n`;
    case 'csv':
      return csvRow(Object.keys(facts)) + csvRow(Object.values(facts));
    default:
      return text;
  }
}
