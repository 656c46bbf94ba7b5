// Shared parts of commands: file arguments, and examples in the help. They load what finds the files when a command runs.

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

/** The inputs that the arguments of `withFiles` name. */
export async function inputsOf(files: readonly string[], ignored?: readonly string[]): Promise<string[]> {
  const inputs = await import('./input/inputs.js');
  return inputs.inputsOf(files, ignored);
}
