/** The pages of the three busiest flows: a request does not go back into a folder that it left on the same thread. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { test } from 'node:test';

const PAGES = ['heartbeat', 'job-event', 'series-question'];

interface Step {
  readonly thread: string;
  readonly folders: readonly string[];
}

/** The steps of each table below the heading "Steps"; `protocol` is left out, as every folder may use it. */
export function stepTables(page: string): Step[][] {
  const steps = page.split('\n## ').find((part) => part.startsWith('Steps\n')) ?? '';
  return steps
    .split('\n\n')
    .filter((part) => part.startsWith('| step '))
    .map((table) => table.split('\n').slice(2).filter(Boolean).map(stepOf));
}

function stepOf(row: string): Step {
  const [, , thread = '', files = ''] = row.split('|').map((cell) => cell.trim());
  const folders = [...files.matchAll(/`([^`]+)`/g)].map(([, path]) => dirname(path as string));
  return { thread, folders: folders.filter((folder) => folder.split('/')[0] !== 'protocol') };
}

export function returns(steps: readonly Step[]): string[] {
  const faults: string[] = [];
  let [thread, current] = ['', ''];
  let left = new Set<string>();
  for (const step of steps) {
    const [from, to] = step.thread.split(' → ');
    if (from !== thread) [left, current] = [new Set(), ''];
    for (const folder of step.folders) {
      if (folder === current) continue;
      if (left.has(folder)) faults.push(`${folder} is entered again on ${step.thread}`);
      if (current !== '') left.add(current);
      current = folder;
    }
    thread = to ?? (from as string);
    if (to !== undefined) [left, current] = [new Set(), ''];
  }
  return faults;
}

test('a flow does not go back into a folder that it left, except on another thread', () => {
  for (const name of PAGES) {
    const tables = stepTables(readFileSync(`docs/internals/${name}.md`, 'utf8'));
    assert.ok(tables.length > 0, `${name} has a table of steps`);
    for (const steps of tables) {
      assert.ok(steps.length > 3, `${name} names its steps`);
      assert.deepEqual(returns(steps), [], name);
    }
  }
  const step = (thread: string, ...folders: string[]): Step => ({ thread, folders });
  assert.equal(returns([step('A', 'a', 'b'), step('A', 'a')]).length, 1);
  assert.deepEqual(returns([step('A', 'a', 'b'), step('B', 'a')]), []);
  assert.deepEqual(returns([step('A', 'a', 'b'), step('A → B', 'c'), step('B', 'a')]), []);
});
