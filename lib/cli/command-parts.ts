// Shared parts of commands: file arguments, and examples in the help.

import type { Command } from 'commander';

import { repeated } from './input/option-values.js';

/** Takes files and patterns. */
export function withFiles(command: Command): Command {
  const what = 'skip matching files, and the contents of matching directories; repeatable';
  return command
    .argument('[FILE...]', 'files, or patterns in quotes; "-" is standard input, which is also the default')
    .option('--ignore <glob>', what, repeated);
}

/** Adds lines that can be typed as they are. */
export function withExamples(command: Command, ...examples: string[]): Command {
  return command.addHelpText('after', `\nExamples:\n${examples.map((example) => `  $ ${example}`).join('\n')}`);
}
