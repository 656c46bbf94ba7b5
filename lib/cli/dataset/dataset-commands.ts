// The commands `crayon dataset …`: their arguments and options. Each has its own file, loaded on demand.

import { type Command, InvalidArgumentError, Option } from 'commander';

import type { DatasetDtype, DatasetFormat, InputKind } from '../../datasets/index.js';
import { byteCount, nonEmpty, positive, threads, vocabulary, withExamples } from '../command-options.js';
import type { RunFlags } from './actions.js';

interface PlanFlags {
  output: string;
  format: DatasetFormat;
  encoding?: string;
  model?: string;
  name?: string;
  field?: string;
  kind?: InputKind;
  separator?: string;
  /** false: none. */
  endOfDocument?: string | number | false;
  addSpecialTokens?: boolean;
  special?: 'text' | 'allow';
  dtype?: DatasetDtype;
  taskBytes?: number;
  shardBytes?: number;
  fileTokens?: number;
  countDuplicates?: boolean;
  json?: boolean;
}

const FORMATS = ['megatron', 'nanogpt', 'llmc', 'datatrove', 'mds', 'npy', 'arrow', 'parquet'];
const DEFAULT = 'o200k_base';

const EXIT_CODES = `
Exit codes:
  0    done
  1    failed, and will fail again until somebody mends the input, plan or option
  2    wrong usage
  3    failed, and worth another try: a full disk, a share that is away, tasks that
       are not done yet
  130  interrupted; 143  ended by SIGTERM: worth another try`;

/** Adds all commands to `crayon dataset`. `ended`: called with the exit code. */
export function addDatasetCommands(dataset: Command, ended: (exitCode: number) => void): void {
  dataset.addHelpText('after', EXIT_CODES);

  const ofPlanned = (name: string, ...examples: string[]) =>
    withExamples(dataset.command(name).argument('<DIR>', 'folder of a planned dataset'), ...examples);

  withExamples(
    dataset.command('plan').argument('<INPUT...>', 'files, or patterns in quotes: JSON lines, text, Parquet; gzip and zstd as well'),
    'crayon dataset plan "data/*.jsonl" --field text -m gpt-4o --format megatron --output tokens',
    "crayon dataset plan books.txt --separator '\\n\\n\\n' -e gpt2 --format nanogpt --output tokens",
  )
    .description('write the plan: which documents become which tokens, in which tasks')
    .requiredOption('-o, --output <folder>', 'the folder of the dataset, which is made', nonEmpty)
    .addOption(new Option('-f, --format <name>', 'what "merge" writes').choices(FORMATS).makeOptionMandatory())
    .addOption(
      new Option('-e, --encoding <name>', `encoding, profile, or path of a .cray file or a tokenizer.json (default: ${DEFAULT})`)
        .argParser(vocabulary)
        .conflicts('model'),
    )
    .option('-m, --model <name>', 'model whose encoding to use, such as gpt-4o', vocabulary)
    .option('--name <name>', 'what merged files are called (default: data)', nonEmpty)
    .option('--field <field>', 'key of the text in a line of JSON, or a JSON pointer; column of a Parquet file (default: text)', nonEmpty)
    .addOption(new Option('--kind <kind>', 'what all inputs are (default: as their names say)').choices(['jsonl', 'text', 'parquet']))
    .option(
      '--separator <text>',
      'what stands between documents of a text file, with \\n, \\t, \\0 and \\\\; default: a file is one',
      escaped,
    )
    .option('--end-of-document <token>', 'token that separates documents, or its id, or "none" (default: the end token)', endToken)
    .option('--add-special-tokens', "add the model's ids around each document, such as <|begin_of_text|>")
    .addOption(new Option('--special <policy>', 'special tokens in documents (default: text)').choices(['text', 'allow']))
    .addOption(new Option('--dtype <type>', 'the integers (default: 16 bits if all ids fit)').choices(['uint16', 'int32', 'uint32']))
    .option('--task-bytes <size>', 'bytes of input of a task, as in 500M (default: 1G)', bytesWithUnit)
    .option('--shard-bytes <size>', 'a shard ends with the document that reaches this many bytes of text (default: 64M)', bytesWithUnit)
    .option('--file-tokens <number>', 'with llmc: the most tokens of a file (default: 100000000)', positive)
    .option('--count-duplicates', 'keep a hash of each document, so that "status" counts duplicates')
    .option('--json', 'write one JSON object')
    .action(async (inputs: string[], { json = false, ...flags }: PlanFlags) => {
      const { plan } = await import('./actions.js');
      const { encoding, model, endOfDocument: end, ...options } = flags;
      const endOfDocument = end === false ? null : end;
      ended(await plan(inputs, { ...options, endOfDocument, tokenizer: encoding ?? model ?? DEFAULT }, json));
    });

  ofPlanned(
    'run',
    'crayon dataset run tokens --all',
    'crayon dataset run tokens --task 3/16',
    "sbatch --array=0-15 --wrap 'crayon dataset run tokens'   # the task is SLURM_ARRAY_TASK_ID",
  )
    .description('encode tasks, as far as they are not done; safe to kill and to repeat')
    .option('--task <i/n>', 'tasks of the plan whose number leaves i when divided by n; default: from Slurm or Kubernetes', taskOf)
    .option('--of <n>', 'with --task i: the n', positive)
    .option('--all', 'all tasks')
    .option('--threads <number>', 'most threads, which tasks share (default: all cores); 1 works on one thread alone', threads)
    .option('--cache-bytes <number>', 'cache size of each thread (default: up to 256 MiB)', byteCount)
    .option('--skip-damaged', 'leave out records without a text, and list them in "status"')
    .option('--json', 'write an event a line: progress, done')
    .option('--no-progress', 'show no progress bar')
    .addHelpText('after', EXIT_CODES)
    .action(async (folder: string, flags: RunFlags) => {
      const { run } = await import('./actions.js');
      ended(await run(folder, flags));
    });

  ofPlanned('status', 'crayon dataset status tokens', 'crayon dataset status tokens --report tokens.html')
    .description('show which tasks are done, and what the documents are like')
    .option('--report <file>', 'also write a page with pictures', nonEmpty)
    .option('--json', 'write one JSON object')
    .action(async (folder: string, { report, json = false }: { report?: string; json?: boolean }) => {
      const { status } = await import('./actions.js');
      ended(await status(folder, { report, json }));
    });

  ofPlanned('verify', 'crayon dataset verify tokens', 'crayon dataset verify tokens --deep 20')
    .description('read everything that was written, and compare it with its receipts')
    .option('--deep <shards>', 'also encode so many shards again', positive)
    .option('--json', 'write one JSON object')
    .option('--no-progress', 'show no progress bar')
    .action(async (folder: string, { deep, json = false, progress }: { deep?: number; json?: boolean; progress: boolean }) => {
      const { verify } = await import('./actions.js');
      ended(await verify(folder, { deep, json, progress }));
    });

  withExamples(dataset.command('merge').argument('<DIR>', 'folder of a dataset whose tasks are done'), 'crayon dataset merge tokens')
    .description('write the files of the format, checking all shards on the way')
    .option('--json', 'write one JSON object')
    .option('--no-progress', 'show no progress bar')
    .action(async (folder: string, { json = false, progress }: { json?: boolean; progress: boolean }) => {
      const { merge } = await import('./actions.js');
      ended(await merge(folder, { json, progress }));
    });
}

const UNITS: Readonly<Record<string, number>> = { '': 1, K: 2 ** 10, M: 2 ** 20, G: 2 ** 30, T: 2 ** 40 };

/** A number of bytes, as in 500M. */
function bytesWithUnit(text: string): number {
  const [, digits, unit = ''] = /^(\d+(?:\.\d+)?)([KMGT]?)(?:i?B)?$/i.exec(text) ?? [];
  const bytes = Math.floor(Number(digits) * (UNITS[unit.toUpperCase()] as number));
  if (digits !== undefined && bytes >= 1 && Number.isSafeInteger(bytes)) return bytes;
  throw new InvalidArgumentError('Expected a number of bytes, as in 500M or 1G.');
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', 0: '\0', '\\': '\\' };

/** A text with escapes, which shells do not expand. */
export function escaped(text: string): string {
  const value = text.replace(/\\(.?)/g, (_, letter: string) => {
    const character = ESCAPES[letter];
    if (character === undefined) throw new InvalidArgumentError(`Expected \\n, \\r, \\t, \\0 or \\\\ but found \\${letter}.`);
    return character;
  });
  if (value === '') throw new InvalidArgumentError('It is empty.');
  return value;
}

/** A token, its id, or none. */
function endToken(text: string): string | number | false {
  if (text === '') throw new InvalidArgumentError('It is empty.');
  if (text === 'none') return false; // commander takes null for no value
  return /^\d+$/.test(text) ? Number(text) : text;
}

/** `3/16`, or `3` with --of. */
export function taskOf(text: string): { task: number; of: number | undefined } {
  const [, task, of] = /^(\d+)(?:\/(\d+))?$/.exec(text) ?? [];
  const value = { task: Number(task), of: of === undefined ? undefined : Number(of) };
  if (task !== undefined && (value.of === undefined || value.task < value.of)) return value;
  throw new InvalidArgumentError('Expected i/n, such as 0/16 for the first of 16, with i from 0.');
}
