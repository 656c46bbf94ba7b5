#!/usr/bin/env node
// The command `crayon`: its grammar, and its exit codes: 0 done, 1 something failed, 2 wrong usage. What a command does
// is in cli/, and is loaded when it is called for.

import { readFileSync } from 'node:fs';

import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';

import { inputsOf } from './cli/inputs.js';
import { endQuietlyWithoutReader } from './cli/streams.js';

const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
const { version } = JSON.parse(manifest) as { version: string };

interface Given {
  encoding?: string;
  model?: string;
  special: string;
  json?: boolean;
  progress: boolean;
  show?: boolean;
  showIds?: boolean;
  color?: boolean;
  skipSpecial?: boolean;
  seconds: number;
}

interface CompileGiven {
  output: string;
  slim?: boolean;
  model?: 'bpe' | 'longest-match';
  pretokenizer?: 'gpt2' | 'cl100k' | 'o200k' | 'qwen2' | 'none';
  name?: string;
  specialToken?: [string, number][];
  unknownId?: number;
  progress: boolean;
  json?: boolean;
}

const PRETOKENIZERS = ['gpt2', 'cl100k', 'o200k', 'qwen2', 'none'];

let succeeded = true;

const DEFAULT_ENCODING = 'o200k_base';

function sourceOf({ encoding, model }: Given): string {
  return encoding ?? model ?? DEFAULT_ENCODING;
}

function textOptions(given: Given) {
  const { special } = given;
  const policy = special === 'text' || special === 'allow' || special === 'forbid' ? special : special.split(',');
  return { source: sourceOf(given), special: policy, json: given.json ?? false } as const;
}

function seconds(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && value > 0 && value <= 3600) return value;
  throw new InvalidArgumentError('It is a number of seconds, above 0 and up to 3600.');
}

function tokenId(text: string): number {
  if (/^\d{1,10}$/.test(text) && Number(text) < 2 ** 32 - 1) return Number(text);
  throw new InvalidArgumentError('It is a token id, an integer of 0 or more.');
}

/** `TOKEN=ID`, added to those before. */
function specialToken(text: string, before: [string, number][] = []): [string, number][] {
  const [, token, id] = /^(.+)=(\d{1,10})$/s.exec(text) ?? [];
  if (token !== undefined && Number(id) < 2 ** 32 - 1) return [...before, [token, Number(id)]];
  throw new InvalidArgumentError('It is a token, "=" and its id, such as "<|endoftext|>=50256".');
}

function withEncoding(command: Command): Command {
  const what = `encoding, profile, or path of a .cray or .dat file (default: ${DEFAULT_ENCODING})`;
  return command
    .addOption(new Option('-e, --encoding <name>', what).conflicts('model'))
    .option('-m, --model <name>', 'model whose encoding to use, such as gpt-4o');
}

function withFiles(command: Command): Command {
  return command.argument('[FILE...]', 'files, or quoted patterns; "-", and nothing at all, is standard input');
}

function withText(command: Command): Command {
  const policies = 'special tokens in the text: text, allow, forbid, or a list such as "<|a|>,<|b|>"';
  return withEncoding(withFiles(command))
    .option('-s, --special <policy>', policies, 'text')
    .option('--json', 'write one JSON object');
}

/** Adds lines that can be typed as they stand. */
function withExamples(command: Command, ...examples: string[]): Command {
  return command.addHelpText('after', `\nExamples:\n${examples.map((example) => `  $ ${example}`).join('\n')}`);
}

const program = new Command('crayon')
  .description('Exact token ids for text, and text for token ids.')
  .version(version)
  .addHelpText('after', '\nExit codes: 0 done, 1 something failed, 2 wrong usage.')
  .exitOverride();

withExamples(
  withText(program.command('count')).option('--no-progress', 'show no progress bar'),
  'crayon count README.md',
  'crayon count --model gpt-4o "docs/**/*.md"',
  'echo hello world | crayon count --json',
)
  .description('count the tokens of files, and of all together')
  .action(async (files: string[], given: Given) => {
    const { count } = await import('./cli/count.js');
    succeeded = await count(await inputsOf(files), { ...textOptions(given), progress: given.progress });
  });

withExamples(
  withText(program.command('encode'))
    .addOption(new Option('--show', 'show the text with its tokens told apart').conflicts('json'))
    .addOption(new Option('--show-ids', 'show a line for each token: its id and its text').conflicts(['json', 'show']))
    .option('--color', 'colour what is shown (default: on a terminal, unless NO_COLOR is set)')
    .option('--no-color', 'do not'),
  'crayon encode README.md',
  'crayon encode --show README.md',
  'echo "naïve café 👍🏽" | crayon encode --show-ids',
)
  .description('write the token ids of files, a line for each file')
  .action(async (files: string[], given: Given) => {
    const { encode } = await import('./cli/encode.js');
    const show = given.show ? 'text' : given.showIds ? 'ids' : undefined;
    succeeded = await encode(await inputsOf(files), { ...textOptions(given), show, colour: given.color });
  });

withExamples(
  withEncoding(withFiles(program.command('decode'))).option('--skip-special', 'leave special tokens out'),
  'echo 24912 2375 | crayon decode',
  'crayon encode README.md | crayon decode',
)
  .description('write the text of token ids: numbers between white space, a JSON array, or what encode --json writes')
  .action(async (files: string[], given: Given) => {
    const { decode } = await import('./cli/decode.js');
    const { skipSpecial = false } = given;
    succeeded = await decode(await inputsOf(files), { source: sourceOf(given), skipSpecial });
  });

withExamples(program.command('inspect'), 'crayon inspect o200k_base', 'crayon inspect --json gpt-4')
  .description('say what is in a cartridge: sections, views, licence and source, some tokens')
  .argument('<CARTRIDGE>', 'path of a .cray or .dat file, encoding, profile or model')
  .option('--json', 'write one JSON object')
  .action(async (source: string, given: Given) => {
    const { inspect } = await import('./cli/inspect.js');
    succeeded = await inspect(source, { json: given.json ?? false });
  });

withExamples(
  program.command('compile'),
  'crayon compile o200k_base -o o200k_base.slim.cray --slim',
  "crayon compile r50k_base -o mine.cray && crayon count -e ./mine.cray README.md",
  'crayon compile lite -o lite.dat && crayon compile lite.dat -o lite.cray',
)
  .description('make a cartridge of a list of tokens, a rank file, a version 2 file, or a cartridge in its other form')
  .argument(
    '<SOURCE>',
    'path of a list of tokens (.json, or .txt, one a line), .tiktoken, .dat or .cray file; encoding, profile or model',
  )
  .requiredOption('-o, --output <file>', 'where to write it; NAME.dat makes a version 2 file, with NAME.json beside it')
  .option('--slim', 'make it small for download; whatever opens it makes it full in memory')
  .addOption(
    new Option('--model <name>', 'of a list or rank file, how pieces become ids (default: bpe for ranks)').choices([
      'bpe',
      'longest-match',
    ]),
  )
  .addOption(
    new Option('-p, --pretokenizer <name>', 'of a list or rank file, how text is cut to pieces').choices(PRETOKENIZERS),
  )
  .option('-n, --name <name>', "of a list or rank file, the encoding's name (default: the file's)")
  .option(
    '-t, --special-token <token=id...>',
    'of a list or rank file, a special token and its id; not for NAME.dat',
    specialToken,
  )
  .option(
    '-u, --unknown-id <id>',
    'of longest match, the id of a character that no token begins with; not for NAME.dat',
    tokenId,
  )
  .option('--no-progress', 'show no progress bar')
  .option('--json', 'write one JSON object')
  .action(async (source: string, { specialToken, ...given }: CompileGiven) => {
    const { compile } = await import('./cli/compile.js');
    const specialTokens = specialToken && Object.fromEntries(specialToken);
    succeeded = await compile(source, { ...given, json: given.json ?? false, specialTokens });
  });

withExamples(program.command('verify'), 'crayon verify', 'crayon verify --json r50k_base')
  .description('check cartridges: checksum, structure, every token, and the ids of sample texts')
  .argument('[CARTRIDGE...]', 'paths of .cray or .dat files, encodings, profiles or models; by default all of the package')
  .option('--no-progress', 'show no progress bar')
  .option('--json', 'write one JSON object')
  .action(async (sources: string[], given: Given) => {
    const { verify } = await import('./cli/verify.js');
    succeeded = await verify(sources, { json: given.json ?? false, progress: given.progress });
  });

withExamples(
  withEncoding(program.command('bench'))
    .option('-t, --seconds <number>', 'how long to measure; each operation runs three times at least', seconds, 3)
    .option('--json', 'write one JSON object'),
  'crayon bench',
  'crayon bench --seconds 1 --model gpt-4 README.md',
)
  .description('measure how fast this machine encodes, counts and decodes a text')
  .argument('[FILE]', 'text to measure with, "-" is standard input (default: a short one that comes with the package)')
  .action(async (file: string | undefined, given: Given) => {
    const { bench } = await import('./cli/bench.js');
    const options = { source: sourceOf(given), seconds: given.seconds, json: given.json ?? false };
    succeeded = await bench(file, options, version);
  });

withExamples(program.command('info'), 'crayon info', 'crayon info gpt-4o')
  .description('say what is installed (backend, kernels, cartridges), or what one encoding, model or cartridge is')
  .argument('[NAME]', 'encoding, profile, model, or path of a .cray or .dat file')
  .option('--json', 'write one JSON object')
  .action(async (name: string | undefined, given: Given) => {
    const { info } = await import('./cli/info.js');
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
