/** The folder order is the import order, and each foreign package has one door (architecture, sections 1 and 2). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ImportEdge, importsOf, type SourceFile, sourceFiles } from '../support/source-tree.ts';

const LADDER = ['base', 'protocol', 'store', 'workers', 'actors', 'control', 'gateway', 'server', 'commands'];

/** Rung of a file below src; `main.ts` stands above all folders. */
function rungOf(path: string): number {
  const folder = /^src\/([^/]+)\//.exec(path)?.[1];
  if (folder !== undefined) return LADDER.indexOf(folder);
  return LADDER.length;
}

export function ladderFaults(files: readonly SourceFile[]): string[] {
  const faults: string[] = [];
  for (const { from, to } of files.flatMap(importsOf)) {
    if (!to.startsWith('src/')) {
      const reaches = /^(agent|cli|fleet|test|bench|tools|web)\//.test(to);
      if (reaches && !['src/main.ts', 'src/loaders.ts', 'src/commands/start.ts'].includes(from))
        faults.push(`${from} imports ${to}: the server does not need it`);
    } else if (rungOf(to) > rungOf(from)) faults.push(`${from} imports ${to}: it stands above`);
  }
  return faults;
}

/** Package (or module) → the files or folders that may import its values. */
const DOORS: Readonly<Record<string, RegExp>> = {
  'uWebSockets.js': /^src\/gateway\/http\/uws\.ts$/,
  lmdb: /^src\/store\/kv\/lmdb-store\.ts$/,
  piscina: /^src\/workers\/(pool|task\/pool-data)\.ts$/,
  'node:worker_threads': /^src\/(actors\/shard\/|server\/shard\.ts$)/,
  pino: /^src\/base\/log\.ts$/,
  jose: /^src\/gateway\//,
  selfsigned: /^src\/gateway\/listener\/certificate\.ts$/,
  '@aws-sdk/client-cognito-identity-provider': /^src\/gateway\/identity\/cognito\.ts$/,
};

export function doorFaults(files: readonly SourceFile[]): string[] {
  return files
    .flatMap(importsOf)
    .filter(({ to, isType }) => !isType && to in DOORS)
    .filter(({ from, to }) => !(DOORS[to] as RegExp).test(from))
    .map(({ from, to }) => `${from} imports ${to}: it has another door`);
}

/** The one file of the command line that speaks to each of its packages. */
const CLI_DOORS: Readonly<Record<string, string>> = {
  'cli/frame/parser.ts': 'commander',
  'cli/commands/server.ts': 'eventsource-parser',
};

/** The one file of the agent that speaks to EC2. */
const AGENT_DOORS: Readonly<Record<string, string>> = { 'agent/volumes/ec2-calls.ts': '@aws-sdk/client-ec2' };

/** The one file of each that speaks to the package `ws`. */
const SOCKET_DOORS: Readonly<Record<string, string>> = {
  agent: 'link/beat-socket.ts',
  fleet: 'wire/beat-socket.ts',
};

export function satelliteFaults(folder: string, files: readonly SourceFile[]): string[] {
  const allowed = (edge: ImportEdge): boolean =>
    edge.to.startsWith(`${folder}/`) ||
    /^src\/(base|protocol)\//.test(edge.to) ||
    edge.to.startsWith('node:') ||
    edge.to === 'msgpackr' ||
    edge.to === 'zod' ||
    CLI_DOORS[edge.from] === edge.to ||
    AGENT_DOORS[edge.from] === edge.to ||
    (edge.to === 'ws' && edge.from === `${folder}/${SOCKET_DOORS[folder]}`);
  return files
    .flatMap(importsOf)
    .filter((edge) => !allowed(edge))
    .map(({ from, to }) => `${from} imports ${to}`);
}

/** Of the dashboard's packages, those that a browser gets; the protocol and the log levels are all that it needs of the server. */
const BROWSER_PACKAGES =
  /^(react(-dom\/client)?|amazon-cognito-identity-js|oauth4webapi|eventsource-parser|openapi-explorer|@base-ui\/react\/[a-z-]+|@tanstack\/react-(query|router|table|virtual)|uplot(\/dist\/uPlot\.min\.css)?)$/;

export function dashboardFaults(files: readonly SourceFile[]): string[] {
  const allowed = ({ to }: ImportEdge): boolean =>
    to.startsWith('web/src/') ||
    to.startsWith('src/protocol/') ||
    to === 'src/base/log-level.ts' ||
    BROWSER_PACKAGES.test(to);
  return files
    .flatMap(importsOf)
    .filter((edge) => !allowed(edge))
    .map(({ from, to }) => `${from} imports ${to}`);
}

const planted = (path: string, line: string): SourceFile => ({ path, text: `${line}\n` });

test('imports of src go down the ladder only', () => {
  assert.deepEqual(ladderFaults(sourceFiles('src')), []);
});

test('an import up the ladder would be found', () => {
  assert.equal(ladderFaults([planted('src/store/x.ts', "import { Router } from '../gateway/router.ts';")]).length, 1);
  assert.equal(
    ladderFaults([planted('src/base/x.ts', "import type { Config } from '../protocol/config.ts';")]).length,
    1,
  );
  assert.equal(ladderFaults([planted('src/actors/x.ts', "import { y } from '../../fleet/y.ts';")]).length, 1);
});

test('every native and threaded package has one door', () => {
  assert.deepEqual(doorFaults(sourceFiles('src')), []);
});

test('a second door would be found', () => {
  assert.equal(doorFaults([planted('src/actors/x.ts', "import { open } from 'lmdb';")]).length, 1);
  assert.equal(doorFaults([planted('src/workers/x.ts', "import { Worker } from 'node:worker_threads';")]).length, 1);
  assert.equal(
    doorFaults([planted('src/workers/x.ts', "import type { MessagePort } from 'node:worker_threads';")]).length,
    0,
    'types are no door',
  );
});

test('agent, fleet and command line need nothing of the server but base and protocol', () => {
  for (const folder of ['agent', 'fleet', 'cli']) assert.deepEqual(satelliteFaults(folder, sourceFiles(folder)), []);
  assert.equal(
    satelliteFaults('agent', [planted('agent/x.ts', "import { y } from '../src/store/keys.ts';")]).length,
    1,
  );
  assert.equal(satelliteFaults('agent', [planted('agent/x.ts', "import { WebSocket } from 'ws';")]).length, 1);
});

test('the dashboard needs nothing of the server but the protocol, and no package that is not meant for it', () => {
  assert.deepEqual(dashboardFaults(sourceFiles('web/src')), []);
  assert.equal(dashboardFaults([planted('web/src/x.ts', "import { y } from '../../src/store/kv/keys.ts';")]).length, 1);
  assert.equal(dashboardFaults([planted('web/src/x.ts', "import { pino } from 'pino';")]).length, 1);
});

test('every test takes fast-check by the door that makes lists as long as they may be', () => {
  const faults = (files: readonly SourceFile[]): string[] =>
    files
      .flatMap(importsOf)
      .filter(({ from, to }) => to === 'fast-check' && from !== 'test/support/laws/fast-check.ts')
      .map(({ from }) => from);
  assert.deepEqual(faults(sourceFiles('test')), []);
  assert.deepEqual(faults([planted('test/unit/a.test.ts', "import fc from 'fast-check';")]), ['test/unit/a.test.ts']);
});
