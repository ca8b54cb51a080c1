/** Which joined modules a program without some packages has: those that load without them. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { HOME, joinedModules } from '../../../../src/control/packages/program-files.ts';

const FILES: Readonly<Record<string, string>> = {
  'package.json': '{ "type": "commonjs" }\n',
  'src/main.js':
    'const require_version = require("./version.js");\nasync function run() {\n\treturn Promise.resolve().then(() => require("./serve.js"));\n}\n',
  'src/version.js': 'exports.VERSION = "1";\n',
  'src/serve.js': 'const require_front = require("./front.js");\n',
  'src/front.js': 'require("./store.js");\n',
  'src/store.js': 'let lmdb = require("lmdb");\n',
  'src/agent.js': 'let ws = require("ws");\n',
};

test('what needs a package that is left out is left out at any distance, but not who may ask for it later', (t) => {
  const root = mkdtempSync(join(tmpdir(), 'cairn-joined-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(FILES)) {
    const file = join(root, 'bundle', path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  const pathsOf = (without: readonly string[]): string[] =>
    joinedModules(root, without).map(({ path }) => path.slice(`${HOME}/bundle/`.length));
  assert.deepEqual(pathsOf(['lmdb']).sort(), ['package.json', 'src/agent.js', 'src/main.js', 'src/version.js']);
  assert.equal(pathsOf([]).length, Object.keys(FILES).length);
});
