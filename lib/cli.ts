#!/usr/bin/env node
// The command `crayon`: its grammar, and its exit codes: 0 done, 1 something failed, 2 wrong usage.

import { readFileSync } from 'node:fs';

import { Command, CommanderError, Option } from 'commander';

import { count, decode, encode, info, type TextOptions } from './cli/commands.js';
import { endQuietlyWithoutReader } from './cli/streams.js';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string };

interface Given {
  encoding?: string;
  model?: string;
  special: string;
  json?: boolean;
  skipSpecial?: boolean;
}

let succeeded = true;

const DEFAULT_ENCODING = 'o200k_base';

function sourceOf({ encoding, model }: Given): string {
  return encoding ?? model ?? DEFAULT_ENCODING;
}

function textOptions(given: Given): TextOptions {
  const { special } = given;
  const policy = special === 'text' || special === 'allow' || special === 'forbid' ? special : special.split(',');
  return { source: sourceOf(given), special: policy, json: given.json ?? false };
}

/** The inputs: stdin if no file is named. */
function inputs(files: string[]): string[] {
  return files.length > 0 ? files : ['-'];
}

function withTokenizer(command: Command): Command {
  return command
    .argument('[FILE...]', 'files to read; "-", and no file at all, is standard input')
    .addOption(
      new Option('-e, --encoding <name>', `encoding, or path of a .cray file (default: ${DEFAULT_ENCODING})`).conflicts('model'),
    )
    .option('-m, --model <name>', 'model whose encoding to use, such as gpt-4o');
}

function withText(command: Command): Command {
  return withTokenizer(command)
    .option('-s, --special <policy>', 'special tokens in the text: text, allow, forbid, or a list such as "<|a|>,<|b|>"', 'text')
    .option('--json', 'write one JSON object');
}

const program = new Command('crayon')
  .description('Exact token ids for text, and text for token ids.')
  .version(version)
  .addHelpText('after', '\nExit codes: 0 done, 1 something failed, 2 wrong usage.')
  .exitOverride();

withText(program.command('count'))
  .description('count the tokens of files')
  .action(async (files: string[], given: Given) => {
    succeeded = await count(inputs(files), textOptions(given));
  });

withText(program.command('encode'))
  .description('write the token ids of files, a line for each')
  .action(async (files: string[], given: Given) => {
    succeeded = await encode(inputs(files), textOptions(given));
  });

withTokenizer(program.command('decode'))
  .description('write the text of token ids: numbers between white space, a JSON array, or what encode --json writes')
  .option('--skip-special', 'leave special tokens out')
  .action(async (files: string[], given: Given) => {
    succeeded = await decode(inputs(files), { source: sourceOf(given), skipSpecial: given.skipSpecial ?? false });
  });

program
  .command('info')
  .description('say what is installed (backend, kernels, cartridges), or what one encoding, model or cartridge is')
  .argument('[NAME]', 'encoding, model, or path of a .cray file')
  .option('--json', 'write one JSON object')
  .action(async (name: string | undefined, given: Given) => {
    succeeded = await info(name, { json: given.json ?? false }, version);
  });

endQuietlyWithoutReader();
try {
  await program.parseAsync();
  process.exitCode = succeeded ? 0 : 1;
} catch (error) {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? 0 : 2;
  } else {
    process.stderr.write(`crayon: ${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}
