#!/usr/bin/env node
// The command `crayon`. This folder opens tokenizers through lib/index.ts; only info.ts names the backends.
//
// Defines the commands, their arguments and options, and the exit codes. Each command has its own file, loaded on
// demand, and so is all that --help and --version do without: the engine first of all.

import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import nodeModule from 'node:module';
import { dirname, join } from 'node:path';

import { Command, CommanderError, Option } from 'commander';

import { cacheFolder } from '../io/cache-folder.js';
import type { DEFAULT_FAMILY } from '../vocabularies/import/compile-cartridge.js';
import type { Family } from '../vocabularies/patterns/families.js';
import {
  byteCount,
  frequency,
  heldOut,
  type HeldOutValue,
  allInputsOf,
  inputsOf,
  nonEmpty,
  onlyText,
  positive,
  repeated,
  seconds,
  specialToken,
  threads,
  tokenCount,
  tokenId,
  vocabularies,
  vocabulary,
  withExamples,
  withFiles,
} from './command-options.js';
import { EXIT_FAILED, EXIT_USAGE, UsageError } from './command-errors.js';
import { handleStreamErrors, write } from './output/terminal.js';
import type { UnknownUnit } from '../vocabularies/open/dat.js';
import type { TrainCommandOptions as TrainArguments } from './train.js';

interface Flags {
  encoding?: string;
  model?: string;
  ignore?: string[];
  special?: string;
  threads?: number;
  cacheBytes?: number;
  addSpecialTokens?: boolean;
  text?: string;
  chat?: boolean;
  estimate?: boolean;
  generationPrompt?: boolean;
  json?: boolean;
  progress: boolean;
  max?: number;
  maxTotal?: number;
  show?: boolean;
  showIds?: boolean;
  jsonl?: boolean;
  field?: string;
  skipDamaged?: boolean;
  color?: boolean;
  skipSpecial?: boolean;
  seconds: number;
}

interface CompileFlags {
  output: string;
  slim?: boolean;
  model?: 'bpe' | 'longest-match';
  pretokenizer?: Family | 'none';
  pattern?: string[];
  name?: string;
  specialToken?: Record<string, number>;
  config?: string | false;
  unknownId?: number;
  unknownUnit?: UnknownUnit;
  progress: boolean;
  json?: boolean;
}

interface TrainFlags extends Omit<TrainArguments, 'heldOut' | 'json' | 'patterns'> {
  pattern?: string[];
  heldOut?: HeldOutValue;
  ignore?: string[];
  json?: boolean;
}

/** The type has all families. */
const PRETOKENIZERS = Object.keys({
  gpt2: true,
  cl100k: true,
  o200k: true,
  qwen2: true,
  tekken: true,
  deepseek3: true,
  none: true,
} satisfies Record<Family | 'none', true>);
/** Of training. */
const DEFAULT_PRETOKENIZER: typeof DEFAULT_FAMILY = 'cl100k';

function pattern(when = ''): Option {
  const what = `${when}instead of that, a regular expression of Oniguruma, whose matches are pieces, and so is what lies between; repeatable: each splits the pieces of the one before`;
  return new Option('--pattern <regex>', what).argParser(repeated).conflicts('pretokenizer');
}

/** The file lies as far above this one as above the script that this one becomes a part of. */
const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
const { version } = JSON.parse(manifest) as { version: string };

let succeeded = true;

const DEFAULT_ENCODING = 'o200k_base';

function sourceOf({ encoding, model }: Flags): string {
  return encoding ?? model ?? DEFAULT_ENCODING;
}

function textOptions(flags: Flags) {
  const { special = 'text', threads, cacheBytes, text, json = false, addSpecialTokens = false } = flags;
  const policy = special === 'text' || special === 'allow' || special === 'forbid' ? special : special.split(',');
  return { source: sourceOf(flags), special: policy, threads, cacheBytes, json, addSpecialTokens, text } as const;
}

/** The files, or the text of --text. */
async function textInputs(files: string[], { text, ignore, chat }: Flags): Promise<string[]> {
  if (text === undefined) return inputsOf(files, ignore);
  if (files.length > 0) throw new UsageError('--text does not go with files');
  if (chat) throw new UsageError('--text does not go with --chat, which reads files');
  return ['--text'];
}

function withEncoding(command: Command): Command {
  const what = `encoding, profile, or path of a .cray or .dat file or a tokenizer.json (default: ${DEFAULT_ENCODING})`;
  return command
    .addOption(new Option('-e, --encoding <name>', what).argParser(vocabulary).conflicts('model'))
    .option('-m, --model <name>', 'model whose encoding to use, such as gpt-4o', vocabulary);
}

function withText(command: Command): Command {
  const policies = 'special tokens in the text: text, allow, forbid, or a list to allow, "<|a|>,<|b|>" (default: text; of --chat: allow)';
  return withFiles(withEncoding(command).option('-s, --special <policy>', policies))
    .option('--add-special-tokens', "add the model's ids around a text, such as <|begin_of_text|>")
    .option('--text <text>', 'use this text instead of files', onlyText);
}

function withThreads(command: Command): Command {
  return command
    .option('--threads <number>', 'most threads for a file of a megabyte or more (default: all)', threads)
    .option('--cache-bytes <number>', 'cache size of each thread (default: up to 256 MiB)', byteCount);
}

const EXIT_CODES = `
Exit codes:
  0    done
  1    something failed: an input, a check, a limit (--max), the output
  2    wrong usage
  130  interrupted
  141  the reader of the output closed it, as in "crayon … | head -1"`;

// Help is written by `write`, which reports output errors.
let help = '';

const program = new Command('crayon')
  .description('Exact token ids for text, and text for token ids.')
  .version(version)
  .addHelpText('after', EXIT_CODES)
  .configureOutput({
    writeOut: (text) => {
      help += text;
    },
    outputError: (text, writeError) => writeError(text.replace(/^error: /, 'crayon: ')),
  })
  .exitOverride()
  .hook('preAction', keepCompiledCode);

withExamples(
  withThreads(withText(program.command('count')))
    .option('--max <tokens>', 'fail if a file has more tokens, and name each such file', tokenCount)
    .option('--max-total <tokens>', 'fail if all files together have more tokens', tokenCount)
    .option('--chat', "the files are chats in JSON, lists of messages or requests: counted with the model's template, or by OpenAI's rules")
    .option('--generation-prompt', "with --chat: include the template's beginning of an answer")
    .option('--estimate', "with --chat: estimate what OpenAI's published rules do not cover")
    .option('--json', 'write one JSON object')
    .option('--no-progress', 'show no progress bar'),
  'crayon count README.md',
  'crayon count --model gpt-4o "docs/**/*.md" --ignore docs/drafts',
  'crayon count --max 8000 "docs/**/*.md"',
  'crayon count --text "hello world"',
  'crayon count --chat --model gpt-4o messages.json',
  'echo hello world | crayon count --json',
)
  .description('count the tokens of each file, and of all together: the count, a tab and the name')
  .action(async (files: string[], flags: Flags) => {
    const { count } = await import('./count.js');
    const { progress, max, maxTotal, estimate = false, generationPrompt = false } = flags;
    const options = textOptions(flags);
    if (!flags.chat && (estimate || generationPrompt)) throw new UsageError('--estimate and --generation-prompt go with --chat');
    const special = flags.special === undefined ? undefined : options.special;
    const chat = flags.chat ? { model: flags.model, special, estimate, generationPrompt } : undefined;
    succeeded = await count(await textInputs(files, flags), { ...options, progress, max, maxTotal, chat });
  });

const VIEWS = `
With --show, │ stands between tokens and each token of a line break or tab has a sign before it:
↵ line feed, ␍ carriage return, ⇥ tab. On a terminal, colours stand in place of │.

With --jsonl each line is an object, which is written with "ids" added, or a text,
a JSON string:
  {"id": 7, "text": "hello world"}   {"id": 7, "text": "hello world","ids":[24912,2375]}
  "hello world"                      {"ids":[24912,2375]}
Answers stand in order, one for each line; a blank line stays blank. They are written
as soon as no more input waits. A line without a text ends the command with an error
that names it; with --skip-damaged it becomes {"error":…,"line":…}.`;

withExamples(
  withThreads(withText(program.command('encode')))
    .option('--show', 'show the text with its tokens separated')
    .addOption(new Option('--show-ids', 'show a line for each token: its id and its text').conflicts('show'))
    .option('--json', 'write one JSON object; with --show or --show-ids, the id and text of each token')
    .addOption(
      new Option('--jsonl', 'for each line of JSON write one with its ids: see below').conflicts(['json', 'show', 'showIds', 'text']),
    )
    .option('--field <field>', 'with --jsonl: key of the text in a line, or a JSON pointer (default: text)', nonEmpty)
    .option('--skip-damaged', 'with --jsonl: answer a line without a text by its error, instead of failing')
    .option('--color', 'use colours with --show and --show-ids (default: on a terminal, unless NO_COLOR is set)')
    .option('--no-color', 'use no colours')
    .addHelpText('after', VIEWS),
  'crayon encode README.md',
  'crayon encode --show README.md',
  'echo "naïve café 👍🏽" | crayon encode --show-ids',
  'crayon encode --show --text "hello world"',
  'crayon encode --show-ids --json README.md',
  'crayon encode --jsonl --field /message/text < messages.jsonl',
)
  .description('write the token ids of each file, one line per file')
  .action(async (files: string[], flags: Flags) => {
    const { jsonl, field, skipDamaged } = flags;
    if (jsonl) {
      const { encodeLines } = await import('./encode-lines.js');
      const options = { ...textOptions(flags), field: field ?? 'text', skipDamaged: skipDamaged ?? false };
      succeeded = await encodeLines(await textInputs(files, flags), options);
      return;
    }
    if (field !== undefined || skipDamaged) throw new UsageError('--field and --skip-damaged go with --jsonl');
    const { encode } = await import('./encode.js');
    const show = flags.show ? 'text' : flags.showIds ? 'ids' : undefined;
    succeeded = await encode(await textInputs(files, flags), { ...textOptions(flags), show, colour: flags.color });
  });

const ID_FORMS = `
Input, in one of these forms:
  24912 2375                    integers separated by white space, by commas, or both
  [24912, 2375]                 a JSON array of integers
  {"ids": [24912, 2375]}        a JSON object with "ids", or with "files" that have
                                "ids" or "tokens", as encode --json writes it
Anything else is an error that says where; of a long input, what came before it
has been written.`;

withExamples(
  withFiles(withEncoding(program.command('decode')).option('--skip-special', 'skip special tokens')).addHelpText('after', ID_FORMS),
  'echo 24912 2375 | crayon decode',
  'crayon encode README.md | crayon decode',
  'crayon encode --json README.md | crayon decode',
)
  .description('write the text of token ids: integers, a JSON array, or the output of encode --json')
  .action(async (files: string[], flags: Flags) => {
    const { decode } = await import('./decode.js');
    const { skipSpecial = false } = flags;
    succeeded = await decode(await inputsOf(files, flags.ignore), { source: sourceOf(flags), skipSpecial });
  });

withExamples(
  withText(program.command('truncate'))
    .requiredOption('-n, --tokens <number>', 'the most tokens of each text', tokenCount)
    .addOption(new Option('--side <side>', 'the side to cut off').choices(['left', 'right']).default('right'))
    .option('--json', 'write a line of JSON for each text: text, tokens, truncated, file'),
  'crayon truncate -n 100 README.md',
  'crayon truncate -n 100 --side left --model gpt-4o < README.md',
)
  .description('write each text, cut to a number of tokens: between tokens, and no character apart')
  .action(async (files: string[], flags: Flags & { tokens: number; side: 'left' | 'right' }) => {
    const { truncate } = await import('./truncate.js');
    succeeded = await truncate(await textInputs(files, flags), { ...textOptions(flags), tokens: flags.tokens, side: flags.side });
  });

withExamples(
  withText(program.command('split'))
    .requiredOption('-n, --tokens <number>', 'the most tokens of each part', positive)
    .option('--overlap <tokens>', "tokens of a part's end that the next part repeats, at most", tokenCount)
    .addOption(
      new Option('--at <separators>', 'where parts should end (default: between any two tokens)').choices(['text', 'markdown', 'code']),
    )
    .option('-0, --null', 'write the parts themselves, each with a NUL behind it, for xargs -0'),
  'crayon split -n 100 --at markdown README.md',
  'crayon split -n 100 --overlap 10 README.md | crayon encode --jsonl',
)
  .description('write the parts of each text, each of at most a number of tokens: a line of JSON for each part')
  .action(async (files: string[], flags: Flags & { tokens: number; overlap?: number; at?: 'text' | 'markdown' | 'code'; null?: true }) => {
    const { tokens, overlap, at: separators, null: nul = false } = flags;
    if (overlap !== undefined && overlap >= tokens) throw new UsageError('--overlap must be less than --tokens');
    const { split } = await import('./truncate.js');
    succeeded = await split(await textInputs(files, flags), { ...textOptions(flags), tokens, overlap, separators, nul });
  });

withExamples(program.command('inspect'), 'crayon inspect o200k_base', 'crayon inspect --json gpt-4', 'crayon inspect tokenizer.json')
  .description('show the contents of a cartridge: sections, views, licence and source, some tokens')
  .argument(
    '<CARTRIDGE>',
    'path of a .cray or .dat file, encoding, profile or model; or a file that compiles to a cartridge, such as a tokenizer.json',
    vocabulary,
  )
  .option('--json', 'write one JSON object')
  .action(async (source: string, flags: Flags) => {
    const { inspect } = await import('./inspect.js');
    succeeded = await inspect(source, { json: flags.json ?? false });
  });

withExamples(
  program.command('compile'),
  'crayon compile tokenizer.json -o model.cray && crayon count -e ./model.cray README.md',
  'crayon compile o200k_base -o o200k_base.slim.cray --slim',
  'crayon compile r50k_base -o mine.cray && crayon count -e ./mine.cray README.md',
  'crayon compile lite -o lite.dat && crayon compile lite.dat -o lite.cray',
  'crayon compile r50k_base --slim -o - | gzip > r50k_base.slim.cray.gz',
)
  .description("compile a model's vocabulary, a list of tokens or ranks to a cartridge, or convert between full, slim and version 2")
  .argument(
    '<SOURCE>',
    'path of a tokenizer.json, tekken.json or SentencePiece .model, of a list of tokens (.json, or .txt with one per line), of ' +
      'ranks (.tiktoken, or the tokenizer.model of Llama 3), or of a .dat or .cray file; encoding, profile or model',
    vocabulary,
  )
  .requiredOption(
    '-o, --output <file>',
    'file to write; NAME.dat makes a version 2 file, with its tokens in NAME.json; "-" is standard output',
    nonEmpty,
  )
  .option('--slim', 'make a small file for download, which is expanded in memory when it is opened')
  .addOption(
    new Option(
      '--model <name>',
      'for a list or rank file: how pieces become ids (default: bpe for a rank file, else longest-match)',
    ).choices(['bpe', 'longest-match']),
  )
  .addOption(
    new Option(
      '-p, --pretokenizer <name>',
      'for a list or rank file: how text is split into pieces, which no token crosses; bpe needs it (default of longest-match: none)',
    ).choices(PRETOKENIZERS),
  )
  .addOption(pattern('for a list or rank file: '))
  .option('-n, --name <name>', "for a list or rank file: the encoding's name (default: the file's)", nonEmpty)
  .option(
    '-t, --special-token <token=id>',
    'for a list or rank file: a special token and its id; repeatable; not for NAME.dat',
    specialToken,
  )
  .option('-u, --unknown-id <id>', 'for longest match: the id of a character at which no token begins; not for NAME.dat', tokenId)
  .addOption(
    new Option(
      '--unknown-unit <unit>',
      'what gets that id: the character, or each of its bytes (default: byte for a version 2 file, else character); not for NAME.dat',
    ).choices(['character', 'byte']),
  )
  .option(
    '--config <file>',
    'the tokenizer_config.json with the chat templates (default: the one beside a tokenizer.json, and chat_template.jinja)',
    nonEmpty,
  )
  .option('--no-config', 'include no chat templates')
  .option('--no-progress', 'show no progress bar')
  .option('--json', 'report the result as one JSON object')
  .action(async (source: string, { specialToken, pattern: patterns, ...flags }: CompileFlags) => {
    const { compile } = await import('./compile.js');
    const pretokenizer = patterns?.map((each) => ({ pattern: each })) ?? flags.pretokenizer;
    succeeded = await compile(source, { ...flags, pretokenizer, json: flags.json ?? false, specialTokens: specialToken });
  });

withExamples(
  withFiles(program.command('train')),
  'crayon train "docs/**/*.md" -o docs.cray --vocabulary-size 300',
  'crayon train README.md -o mine.json --vocabulary-size 300 --special-token "<|end|>" --held-out docs/guide.md',
  'crayon train corpus.txt -o mine.cray --vocabulary-size 32000 --held-out 5% --curve mine.svg',
  'cat README.md | crayon train -o mine.tiktoken --vocabulary-size 300 --pretokenizer gpt2',
)
  .description('learn a vocabulary from texts: byte-level BPE, with the tokens and ids of Hugging Face tokenizers')
  .requiredOption(
    '-o, --output <file>',
    'file to write: NAME.json is a Hugging Face tokenizer.json, NAME.tiktoken ranks, NAME.dat a version 2 file with ' +
      'its tokens in NAME.json, any other name a cartridge',
    nonEmpty,
  )
  .requiredOption('-v, --vocabulary-size <tokens>', 'number of tokens: special tokens, the 256 bytes and learned tokens', positive)
  .option('--min-frequency <times>', 'how often a pair of tokens must occur to be merged; 0 means 1 (default: 2)', frequency)
  .option('--max-token-length <bytes>', 'the longest token', positive)
  .addOption(
    new Option('-p, --pretokenizer <name>', 'how text is split into pieces, which no token crosses')
      .choices(PRETOKENIZERS)
      .default(DEFAULT_PRETOKENIZER),
  )
  .addOption(pattern())
  .option('-t, --special-token <token>', 'a special token; repeatable', repeated)
  .addOption(
    new Option(
      '--ties <order>',
      'huggingface: special tokens first, ties go to the pair with smaller ids; crayon: special tokens ' + 'last, ties go to larger ids',
    )
      .choices(['huggingface', 'crayon'])
      .default('huggingface'),
  )
  .option('--observed', 'only bytes that occur in the texts are tokens; for NAME.json or --model longest-match')
  .option('--threads <number>', 'threads to use (default: the CPUs that the process may use)', positive)
  .addOption(new Option('--model <name>', 'for a cartridge: how pieces become ids (default: bpe)').choices(['bpe', 'longest-match']))
  .option('--slim', 'make a slim cartridge')
  .option('-n, --name <name>', "for a cartridge: the encoding's name (default: the file's)", nonEmpty)
  .option(
    '--held-out <what>',
    'texts to measure the result on, in bytes per token: a file (repeatable), or a share such as 5%: the end of each ' +
      'file, excluded from training',
    heldOut,
  )
  .option('--report <file>', 'JSON file for the report and the bytes per token of smaller vocabularies', nonEmpty)
  .option('--curve <file>', 'SVG file for a plot of these bytes per token', nonEmpty)
  .option('--checkpoint <file>', 'file for the state, written every half minute; the same command resumes from it', nonEmpty)
  .option('--no-progress', 'show no progress bar')
  .option('--json', 'report the result as one JSON object')
  .action(async (files: string[], { ignore, pattern: patterns, ...flags }: TrainFlags) => {
    const { train } = await import('./train.js');
    const inputs = await allInputsOf(files, ignore);
    const { heldOut: held = { files: [] } } = flags;
    const measured = 'files' in held && held.files.length > 0 ? { files: await allInputsOf(held.files) } : held;
    succeeded = await train(inputs, { ...flags, patterns, heldOut: measured, json: flags.json ?? false });
  });

withExamples(program.command('verify'), 'crayon verify', 'crayon verify --json r50k_base')
  .description('check cartridges: checksum, structure, every token, and the ids of sample texts')
  .argument(
    '[CARTRIDGE...]',
    'paths of .cray or .dat files, or patterns in quotes; encodings, profiles or models (default: all cartridges of the package)',
    vocabularies,
  )
  .option('--no-progress', 'show no progress bar')
  .option('--json', 'write one JSON object')
  .action(async (sources: string[] | undefined, flags: Flags) => {
    const { verify } = await import('./verify.js');
    succeeded = await verify(sources?.length ? await allInputsOf(sources) : [], { json: flags.json ?? false, progress: flags.progress });
  });

withExamples(
  withEncoding(program.command('bench'))
    .option('-t, --seconds <number>', 'how long to measure; each operation runs at least three times', seconds, 3)
    .option('--json', 'write one JSON object'),
  'crayon bench',
  'crayon bench --seconds 1 --model gpt-4 README.md',
)
  .description('measure how fast this machine encodes, counts and decodes a text')
  .argument('[FILE]', 'text to measure with, "-" is standard input (default: a megabyte, repeated from the package)')
  .action(async (file: string | undefined, flags: Flags) => {
    const { bench } = await import('./bench.js');
    const options = { source: sourceOf(flags), seconds: flags.seconds, json: flags.json ?? false };
    succeeded = await bench(file, options, version);
  });

withExamples(program.command('info'), 'crayon info', 'crayon info gpt-4o')
  .description('show what is installed (backend, kernels, cartridges), or one encoding, model or cartridge')
  .argument('[NAME]', 'encoding, profile, model, or path of a .cray or .dat file or a tokenizer.json', vocabulary)
  .option('--json', 'write one JSON object')
  .action(async (name: string | undefined, flags: Flags) => {
    const { info } = await import('./info.js');
    succeeded = await info(name, { json: flags.json ?? false }, version);
  });

const cache = withExamples(program.command('cache'), 'crayon cache', 'crayon cache list', 'crayon cache clear').description(
  'the cartridges that were compiled on this machine and are kept for the next time: 2 GB at most, those used last',
);
const cacheCommand = (name: 'size' | 'list' | 'clear', description: string) =>
  withExamples(
    cache.command(name, { isDefault: name === 'size' }).option('--json', 'write one JSON object'),
    `crayon cache ${name}`,
    `crayon cache ${name} --json`,
  )
    .description(description)
    .action(async ({ json = false }: Flags) => {
      const { clearCache, showCache } = await import('./cache.js');
      await (name === 'clear' ? clearCache({ json }) : showCache({ list: name === 'list', json }));
    });
cacheCommand('size', 'show the folder, how many cartridges it has, and their size (default)');
cacheCommand('list', 'show each of them: when it was last used, its size and name');
cacheCommand('clear', 'remove them, and the compiled code of this command');

const dna = withExamples(
  program.command('dna'),
  'crayon dna demo',
  'crayon dna list-models',
  'crayon dna encode genome.fa -m nt-v2 --lower-case normalize --ambiguous normalize --window 600 --truncate -o genome.npy',
).description('token ids of DNA for genome models, from FASTA and FASTQ files');
const dataset = withExamples(
  program.command('dataset'),
  'crayon dataset plan "data/**/*.jsonl.gz" --format megatron -m gpt-4o --output tokens',
  'crayon dataset run tokens --all',
  'crayon dataset merge tokens && crayon dataset verify tokens',
).description('encode a dataset in tasks that any number of machines run, and write what training programs read');

let exitCode: number | undefined;

// Their commands, which take as long to define as all others, are needed by nothing that does not name them.
if (process.argv.includes('dna')) {
  const { addDnaCommands } = await import('./dna/dna-commands.js');
  addDnaCommands(dna, version, (all) => {
    succeeded = all;
  });
}
if (process.argv.includes('dataset')) {
  const { addDatasetCommands } = await import('./dataset/dataset-commands.js');
  addDatasetCommands(dataset, (code) => {
    exitCode = code;
  });
}

for (const command of program.commands) nameHelp(command, 'crayon');
program.showHelpAfterError('"crayon --help" shows the commands.');

/** A wrong call of a command, or of a command of a command, ends with what shows its help. */
function nameHelp(command: Command, above: string): void {
  const name = `${above} ${command.name()}`;
  command.showHelpAfterError(`"${name} --help" shows its arguments and options.`);
  for (const each of command.commands) nameHelp(each, name);
}

/**
 * Keeps what V8 compiles of the scripts that are loaded from now on in the user's cache, if Node can (22.1 and newer): commands start
 * 10 ms sooner. Node compares it with the scripts. Its own choice would be the folder for temporary files, where others may write.
 */
function keepCompiledCode(): void {
  const { enableCompileCache } = nodeModule as { enableCompileCache?: (folder: string) => unknown };
  const folder = enableCompileCache && cacheFolder();
  if (!folder) return;
  try {
    const code = join(folder, 'compiled-code');
    makeFolder(code);
    enableCompileCache(code);
  } catch {
    // Not possible on this system: every command compiles its scripts.
  }
}

/** Like makeFolder of the user's cache, which is a part of the engine's script. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  const around = dirname(folder);
  if (around !== folder) makeFolder(around);
  mkdirSync(folder);
}

/** The exit code. */
async function run(): Promise<number> {
  try {
    await program.parseAsync();
    return exitCode ?? (succeeded ? 0 : EXIT_FAILED);
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    await write(help);
    return error.exitCode === 0 ? 0 : EXIT_USAGE;
  }
}

handleStreamErrors();
process.exitCode = await run().catch(async (error) => (await import('./report-failures.js')).endWith(error));
