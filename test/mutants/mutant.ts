/** One planted fault of the kept list: the promise that it breaks, and the tests that must notice. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const mutant = z.strictObject({
  /** What `npm run mutants -- ID` asks for. */
  id: z.string().regex(/^[a-z0-9-]{3,60}$/),
  /** What must hold; broken by the fault. */
  promise: z.string().min(10),
  /** The source file, from the root of the repository. */
  file: z
    .string()
    .regex(/^((src|cli|agent|bench|fleet|web|tools|test|clients)\/.*\.tsx?|web\/.*\.css|clients\/.*\.py)$/),
  /** Text that stands in the file exactly once. */
  from: z.string().min(1),
  /** What the fault puts in its place. */
  to: z.string(),
  /** Test files of which at least one must fail. */
  tests: z.array(z.string().regex(/^test\/.*\.test\.ts$/)).min(1),
});

export type Mutant = z.infer<typeof mutant>;

/** Every planted fault of a folder, list by list by name. Throws where a list is not in the form above. */
export function readMutants(folder: string): Mutant[] {
  const lists = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return lists.sort().flatMap((name) => z.array(mutant).parse(JSON.parse(readFileSync(join(folder, name), 'utf8'))));
}

/** The text with the fault in it; null where `from` does not stand in it exactly once. */
export function plant(text: string, { from, to }: Pick<Mutant, 'from' | 'to'>): string | null {
  const at = text.indexOf(from);
  if (at === -1 || text.includes(from, at + 1)) return null;
  return text.slice(0, at) + to + text.slice(at + from.length);
}
