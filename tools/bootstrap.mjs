/**
 * What every npm script goes through: installs what is missing or stale, builds, then runs. Plain JavaScript without
 * dependencies, because it runs before anything is installed. `npm start` and `npm test` need nothing before them.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const stampFile = join(root, 'node_modules', '.cairn-stamp');
const webStampFile = join(root, 'node_modules', '.cairn-web-stamp');
const [command = 'build', ...args] = process.argv.slice(2);

mustBeKnownNode();
install();
build();
buildWeb();
run();

function mustBeKnownNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  const known = (major === 20 && minor >= 15) || major === 22 || major >= 24;
  if (!known) fail(`Cairn needs Node 20.15 or later, 22, or 24 and later; this is ${process.versions.node}`);
}

/** The lock file and the Node version decide what must be installed: native packages differ between versions. */
function install() {
  const lock = readFileSync(join(root, 'package-lock.json'));
  const stamp = createHash('sha256').update(lock).update(process.versions.modules).update(process.arch).digest('hex');
  if (readStamp(stampFile) === stamp) return;
  say('installing packages (once, and after a change of package-lock.json)');
  // Not `npm ci`: it refuses a lock file without an entry for every platform's optional packages, and which of those a
  // registry carries differs. `install --no-save` takes versions and hashes from the lock file and leaves it alone.
  // With the compiler, whatever NODE_ENV says: nothing runs before it is built.
  const options = ['--no-save', '--ignore-scripts', '--include=dev', '--no-audit', '--no-fund', '--loglevel', 'error'];
  mustRun('npm', ['install', ...options]);
  writeFileSync(stampFile, stamp);
}

/** tsc keeps its own record of what is stale; with nothing to do it takes half a second. */
function build() {
  mustRun(process.execPath, [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '--project', root]);
  // So that `npx cairn` finds a program: the compiler writes plain files.
  chmodSync(join(root, 'dist', 'src', 'main.js'), 0o755);
  mustRun(process.execPath, [join(root, 'dist', 'tools', 'bundle.js')]);
}

/**
 * The dashboard, when its sources or the protocol changed. Where it fails, `npm run build` and `npm run check` fail; all else
 * says so and goes on with the dashboard of before, or with the plain page.
 */
function buildWeb() {
  const stamp = webStamp();
  if (existsSync(join(root, 'web', 'dist', 'index.html')) && readStamp(webStampFile) === stamp) return;
  say('building the dashboard (once, and after a change of web/, docs/ or src/protocol)');
  rmSync(webStampFile, { force: true });
  const ok =
    tryRun([join('node_modules', 'typescript', 'bin', 'tsc'), '--project', 'web']) &&
    tryRun([join('node_modules', 'vite', 'bin', 'vite.js'), 'build', 'web', '--logLevel', 'error']);
  if (ok) writeFileSync(webStampFile, stamp);
  else if (command === 'build' || command === 'check') fail('cannot build the dashboard: see above');
  else say('cannot build the dashboard: see above; going on with the one of before, or with the plain page');
}

/** Content, not times: a checkout touches files that it does not change. */
function webStamp() {
  const hash = createHash('sha256').update(process.versions.node);
  const files = [
    'package-lock.json',
    ...['web', 'docs/guide', 'docs/reference', 'src/protocol', 'src/base'].flatMap(filesBelow),
  ];
  for (const file of files)
    hash
      .update(file)
      .update('\0')
      .update(readFileSync(join(root, file)));
  return hash.digest('hex');
}

function filesBelow(folder) {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => !/^(dist|plain)(\/|$)/.test(name))
    .map((name) => join(folder, name))
    .filter((name) => statSync(join(root, name)).isFile())
    .sort();
}

function readStamp(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

function run() {
  switch (command) {
    case 'build':
      return;
    case 'start':
      return hand('bundle/src/main.js', ['start', ...args]);
    case 'test':
      return hand('dist/tools/run-tests.js', args);
    case 'test:rest':
      return hand('dist/tools/run-tests.js', ['--rest', ...args]);
    case 'test:all':
      return hand('dist/tools/run-tests.js', ['--all', ...args]);
    case 'test:costs':
      return hand('dist/tools/test-costs.js', args);
    case 'check':
      return hand('dist/tools/run-tests.js', ['check', ...args]);
    case 'sim':
      return hand('dist/test/sim/main.js', args);
    case 'bench':
      return hand('dist/bench/main.js', args);
    case 'bench:compare':
      return hand('dist/bench/compare.js', args);
    case 'fuzz':
      return hand('dist/test/fuzz/main.js', args);
    case 'envelope':
      return hand('dist/bench/envelope/main.js', args);
    case 'proof':
      return hand('dist/test/proof/main.js', args);
    case 'mutants':
      return hand('dist/tools/run-mutants.js', args);
    case 'demo':
      return hand('dist/tools/demo.js', args);
    case 'demo:cluster':
      return hand('dist/tools/demo-cluster.js', args);
    case 'docs':
      return hand('dist/tools/make-docs.js', args);
    case 'package':
      return hand('dist/tools/package.js', args);
    case 'screenshots':
      return hand('dist/tools/screenshots.js', args);
    case 'states':
      return hand('dist/tools/states.js', args);
    case 'dev':
      return dev();
    default:
      fail(`there is no script ${command}`);
  }
}

/** Compiles on change beside a server on loopback; the server is restarted by `node --watch`. */
function dev() {
  spawn(
    process.execPath,
    [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '--watch', '--preserveWatchOutput', '--project', root],
    { stdio: 'inherit', cwd: root },
  );
  hand(
    'dist/src/main.js',
    ['start', ...args],
    ['--watch-path=dist/src', '--watch-path=dist/cli', '--watch-path=dist/agent'],
  );
}

/** Gives the terminal and the signals to the program, and ends as it ends. */
function hand(script, scriptArgs, nodeArgs = []) {
  const child = spawn(process.execPath, [...nodeArgs, join(root, script), ...scriptArgs], {
    stdio: 'inherit',
    cwd: root,
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)));
}

function mustRun(program, programArgs) {
  const { status, error } = spawnSync(program, programArgs, { cwd: root, stdio: ['ignore', 2, 2] });
  if (error) fail(`cannot run ${program}: ${error.message}`);
  if (status !== 0) process.exit(status ?? 1);
}

function tryRun(programArgs) {
  return spawnSync(process.execPath, programArgs, { cwd: root, stdio: ['ignore', 2, 2] }).status === 0;
}

function say(text) {
  process.stderr.write(`cairn: ${text}\n`);
}

function fail(text) {
  say(text);
  process.exit(1);
}
