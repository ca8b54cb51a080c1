/** Retired words stay retired: the last table of docs/glossary.md lists them, with what to say instead. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { documents, type SourceFile, sourceFiles } from '../support/source-tree.ts';

interface RetiredWord {
  readonly word: string;
  readonly use: string;
  /** Phrases in which it has another meaning. */
  readonly allowed: readonly string[];
}

const GLOSSARY = 'docs/glossary.md';
const HEADING = '## Retired words';
const CODE = ['src', 'cli', 'agent', 'fleet', 'bench', 'tools', 'web/src', 'test'];
/** What tells of the past, or must name what it forbids. */
const NOT_SEARCHED = /^(CHANGELOG\.md|docs\/decisions\/.*|test\/mutants\/.*|test\/repo\/words\.test\.ts)$/;

function retiredWords(glossary: string): RetiredWord[] {
  const rows = glossary.slice(glossary.indexOf(HEADING)).matchAll(/^\| ([a-z][^|]*) \| ([^|]+) \|([^|]*)\|$/gm);
  return [...rows]
    .map(([, word = '', use = '', allowed = '']) => ({
      word: word.trim(),
      use: use.trim(),
      allowed: allowed
        .split(',')
        .map((phrase) => plain(phrase).trim())
        .filter((phrase) => phrase !== ''),
    }))
    .filter(({ word }) => word !== 'retired');
}

/** Lower-case words; those that one name holds are joined by hyphens: `BeatKeeper` and BEAT_KEEPER are `beat-keeper`. */
function plain(text: string): string {
  return text
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1-$2')
    .replace(/[-_]+/g, '-')
    .replace(/\s+/g, ' ')
    .toLowerCase();
}

/** A word of the table with hyphens is a name; one with spaces may be a name or a phrase. */
function writings(word: string): string {
  return word.replaceAll(' ', '[- ]');
}

function comebacks({ path, text }: SourceFile, words: readonly RetiredWord[]): string[] {
  const found: string[] = [];
  // A phrase may go on in the next line, behind the mark of a comment or a quote. Names of decisions are kept as they were.
  const lines = text
    .split('\n')
    .map((line) => plain(line.replace(/\d{4}-[a-z-]+\.md/g, '').replace(/^\s*(\*|\/\/|>|-)\s/, '')).trim());
  const starts: number[] = [];
  let all = plain(path);
  for (const line of lines) {
    starts.push(all.length + 1);
    all += ` ${line}`;
  }
  for (const { word, use, allowed } of words) {
    const looked = allowed.reduce((rest, phrase) => rest.replaceAll(phrase, '·'.repeat(phrase.length)), all);
    for (const { index } of looked.matchAll(new RegExp(`\\b${writings(word)}s?\\b`, 'g'))) {
      const line = starts.filter((start) => start <= index).length;
      found.push(`${path}:${line}: "${word}" is retired: ${use}`);
    }
  }
  return found;
}

const words = retiredWords(readFileSync(GLOSSARY, 'utf8'));

/** The glossary is searched too, up to the table. */
function searched(): SourceFile[] {
  return [...sourceFiles(...CODE), ...documents()]
    .filter(({ path }) => !NOT_SEARCHED.test(path))
    .map(({ path, text }) => ({ path, text: path === GLOSSARY ? text.slice(0, text.indexOf(HEADING)) : text }));
}

test('no retired word comes back in code, file names, comments, messages and documents', () => {
  assert.ok(words.length > 30, 'the table of retired words is read');
  assert.deepEqual(
    searched().flatMap((file) => comebacks(file, words)),
    [],
  );
});

test('a planted word is found, however it is written, and its other meaning is not', () => {
  const planted: readonly (readonly [string, string])[] = [
    ['src/x.ts', 'const beatKeeper = 1;\n'],
    ['src/x.ts', 'class BeatKeepers {}\n'],
    ['src/x.ts', "log.warn('the beat keeper stopped');\n"],
    ['src/x.ts', 'const BEAT_KEEPER_MAX = 1;\n'],
    ['src/x.ts', '/**\n * Asks the beat\n * keeper.\n */\n'],
    ['src/beat-keeper.ts', ''],
    ['src/x.ts', 'linesAbout(id);\n'],
    ['docs/x.md', 'The beat keeper writes.\n'],
    ['docs/x.md', 'Durable letters are journaled.\n'],
  ];
  for (const [path, text] of planted) assert.equal(comebacks({ path, text }, words).length, 1, `${path}: ${text}`);
  for (const text of ['a dead letter', 'A letter-spacing', 'the lines about it', 'a perimeter', 'rimless'])
    assert.deepEqual(comebacks({ path: 'docs/x.md', text }, words), [], text);
  const [fault = ''] = comebacks({ path: 'src/x.ts', text: 'const a = 1;\nconst rim = 2;\n' }, words);
  assert.match(fault, /^src\/x\.ts:2: "rim" is retired: platform/);
});
