#!/usr/bin/env node
/**
 * The command line: help, version, and everything else to the command of that name. No logic.
 */
import { dropEmptyVariables } from './base/service/empty-variables.ts';
import { VERSION } from './base/version.ts';

async function main(argv: readonly string[]): Promise<number> {
  const [name, second] = argv;
  switch (name) {
    case undefined:
      process.stderr.write(await overview());
      return 2;
    case 'version':
    case '--version':
      process.stdout.write(`${VERSION}\n`);
      return 0;
    case 'help':
    case '--help':
    case '-h':
      if (second !== undefined && !second.startsWith('-')) return dispatch([...argv.slice(1), '--help']);
      process.stdout.write(await overview());
      return 0;
    case '__complete':
      return complete(argv.slice(1));
    default:
      return dispatch(argv);
  }
}

async function overview(): Promise<string> {
  const [{ GROUPS }, help] = await Promise.all([import('../cli/specs/commands.ts'), import('../cli/frame/help.ts')]);
  return help.overview(GROUPS);
}

async function complete(words: readonly string[]): Promise<number> {
  const [{ COMMANDS }, { completeCommand }] = await Promise.all([
    import('../cli/specs/commands.ts'),
    import('../cli/commands/completion.ts'),
  ]);
  return completeCommand(COMMANDS, words);
}

async function dispatch(argv: readonly string[]): Promise<number> {
  const [{ COMMANDS }, { LOADERS }, frame] = await Promise.all([
    import('../cli/specs/commands.ts'),
    import('./loaders.ts'),
    import('../cli/frame/dispatch.ts'),
  ]);
  return frame.dispatch(COMMANDS, LOADERS, argv);
}

dropEmptyVariables(process.env);
main(process.argv.slice(2)).then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`cairn: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  },
);
