/**
 * Joins the compiled modules of `cairn` into a few files: a process loads 400 modules in twice the CPU that it needs for ten
 * files, and the server loads them in each of its threads. Packages with native parts or files of their own stay outside.
 *
 * `bundle/` stands beside `dist/` and each of its entries where it stands there, so that paths beside a module hold in both. It
 * holds CommonJS, which Node 20 loads for four fifths of the CPU that the same ES modules take.
 */
import { chmodSync, existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { type Plugin, rolldown } from 'rolldown';

const TARGET = 'bundle';
const STAMP = join(TARGET, '.stamp');
const SOURCES = ['src', 'cli', 'agent', 'fleet'].map((folder) => join('dist', folder));
/** The program, what threads and child processes start with, and the server for tests that hold one in their own process. */
const ENTRIES = [
  'src/main',
  'src/server/server',
  'src/server/shard',
  'src/workers/entry',
  'src/actors/shard/writer/writer-entry',
  'src/control/packages/build-entry',
  'agent/images/block-entry',
  'agent/shim/node-shim',
  'agent/podman/container-copy',
];
const INSIDE = ['zod', 'msgpackr', 'jose', 'negotiator', 'commander', 'eventsource-parser'];

if (isStale()) await bundle();

/** The compiler leaves alone what has not changed; a module that is gone leaves no trace, so remove dist after removing one. */
function isStale(): boolean {
  if (!existsSync(STAMP)) return true;
  const { mtimeMs } = statSync(STAMP);
  const files = [join('dist', 'tools', 'bundle.js'), 'package-lock.json', ...SOURCES.flatMap(modulesOf)];
  return files.some((file) => statSync(file).mtimeMs > mtimeMs);
}

function modulesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.js'))
    .map((name) => join(folder, name));
}

async function bundle(): Promise<void> {
  rmSync(TARGET, { recursive: true, force: true });
  const build = await rolldown({
    input: Object.fromEntries(ENTRIES.map((entry) => [entry, resolve('dist', `${entry}.js`)])),
    platform: 'node',
    treeshake: false,
    external: (id) =>
      !id.startsWith('.') && !id.startsWith(sep) && !INSIDE.some((name) => id === name || id.startsWith(`${name}/`)),
    plugins: [onlyEnglish(), ownPlace()],
  });
  await build.write({
    dir: TARGET,
    format: 'cjs',
    minify: false,
    entryFileNames: '[name].js',
    chunkFileNames: 'src/[name]-[hash].js',
  });
  writeFileSync(join(TARGET, 'package.json'), '{ "type": "commonjs" }\n');
  chmodSync(join(TARGET, 'src', 'main.js'), 0o755);
  writeFileSync(STAMP, '');
}

/** zod comes with its messages in forty languages, which would cost 20 ms of each start; nobody asks for another than English. */
function onlyEnglish(): Plugin {
  return {
    name: 'only-english',
    load: (id) => (/zod\/v4\/locales\/index\.js$/.test(id) ? "export { default as en } from './en.js';\n" : null),
  };
}

/** All shared files lie in `src`: a module that asks for its own address gets the one that it would have in `bundle/`. */
function ownPlace(): Plugin {
  const root = resolve('dist', 'src');
  return {
    name: 'own-place',
    transform(code, id) {
      if (!id.startsWith(resolve('dist') + sep) || !code.includes('import.meta.url')) return null;
      const place = JSON.stringify(`./${relative(root, id)}`);
      return { code: code.replaceAll('import.meta.url', `new URL(${place}, import.meta.url).href`), map: null };
    },
  };
}
