// The commands `crayon dna …`: their arguments and options. Each has its own file, loaded on demand.

import { type Command, Option } from 'commander';

import { device, inputsOf, nonEmpty, positive, seconds, vocabulary, withExamples, withFiles } from '../command-options.js';
import type { ModelOptions } from './model.js';
import type { EncodeDnaOptions } from './output.js';

interface Flags extends ModelOptions {
  json?: boolean;
  progress: boolean;
  seconds: number;
}

interface GridOptions {
  device: string;
  quick?: boolean;
  progress: boolean;
  json?: boolean;
}

interface EncodeFlags extends Omit<EncodeDnaOptions, 'json'> {
  ignore?: string[];
  json?: boolean;
}

const DEFAULT_MODEL = 'hyenadna';
const WHAT_MODEL = 'name shown by list-models, or path of a cartridge, or of a vocabulary in JSON: NAME.json';

function withModel(command: Command): Command {
  return command
    .option('-m, --model <model>', WHAT_MODEL, vocabulary, DEFAULT_MODEL)
    .option('--tokenizer-json <file>', "for dnabert2: the model's tokenizer.json", nonEmpty);
}

/** Adds the options for letters other than plain bases; the default is the model's behaviour. */
function withPolicies(command: Command): Command {
  return command
    .addOption(new Option('--lower-case <policy>', 'reject lower case, make it upper case, or keep it').choices(LETTERS))
    .addOption(new Option('--ambiguous <policy>', 'reject ambiguity codes (R, Y, S …), make them N, or keep them').choices(LETTERS))
    .addOption(new Option('--n <policy>', 'reject N, or keep it').choices(['reject', 'keep']))
    .addOption(
      new Option('--tail <policy>', 'leftover bases at the end that do not fill a k-mer: single ids, one padding id, or no id').choices([
        'single',
        'pad',
        'drop',
      ]),
    );
}

/** Adds the options for records that a model cannot represent. */
function withChecks(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--unknown <policy>',
        'keep ids of letters that the model does not know, and report them (default), or reject the record',
      ).choices(['keep', 'reject']),
    )
    .addOption(
      new Option('--rna <policy>', 'reject records with U, the base of RNA (default), or read U as T').choices(['reject', 'normalize']),
    );
}

const LETTERS = ['reject', 'normalize', 'keep'];

const OUTPUTS = `
Output:
  OUT.npy       a matrix of NumPy, a row for each record (--length) or window (--window)
  any other     ids, little-endian, of one record after the other; OUT.index.tsv has
                the name, the first id and the number of ids of each record
  none          a line of ids for each record that is whole, on standard output
Files have their names when they are whole; after a failure there is none, but
with --skip-damaged they are whole without the records that were left out.

Unknown ids:
  A letter that the model does not know becomes its unknown id, of nt-v1 and nt-v2 a
  word of such letters one: white space divides words. Standard error says
  how many ids that are, for which letters, and which option would change it; --json
  has "unknown" and "unknownShare". A record with no other ids is rejected.`;

/** Adds all commands to `crayon dna`. `version`: the package's. `ended`: called with whether everything succeeded. */
export function addDnaCommands(dna: Command, version: string, ended: (succeeded: boolean) => void): void {
  withExamples(
    withChecks(withPolicies(withModel(withFiles(dna.command('encode')))))
      .option('-o, --output <file>', 'file to write; see below', nonEmpty)
      .addOption(
        new Option('-t, --type <type>', 'type of the ids in a file').choices(['uint8', 'uint16', 'int32', 'int64']).default('int32'),
      )
      .option('-l, --length <ids>', 'ids in each row of the matrix; shorter ones are padded', positive)
      .option(
        '--truncate',
        'cut off longer rows, which are otherwise an error, and say how many; with N, which has an id of its own, k-mers need it',
      )
      .option('-w, --window <bases>', 'one row per window of this many bases', positive)
      .option('--stride <bases>', 'distance between the starts of windows (default: --window)', positive)
      .addOption(new Option('--side <side>', "side of the padding (default: the model's)").choices(['left', 'right']))
      .option('--special-tokens', 'add the ids that the model expects before and after a sequence')
      .option('--reverse-complement', 'encode the opposite strand, read in its own direction')
      .option('--mask <file>', 'file for a matrix with 1 for ids and 0 for padding, NAME.npy', nonEmpty)
      .option('--skip-damaged', 'skip and name damaged or rejected records; the exit code is then 1')
      .option('--names <file>', 'file with a line per row: the name of its record, or for a window NAME:FIRST-LAST', nonEmpty)
      .option('--no-progress', 'show no progress bar')
      .option('--json', 'write one JSON object: the ids, or with --output a report')
      .addHelpText('after', OUTPUTS),
    'crayon dna encode genome.fa',
    'crayon dna encode genome.fa -m nt-v2 --lower-case normalize --ambiguous normalize --window 600 --truncate -o genome.npy --names genome.names',
    'crayon dna encode "*.fa" -m caduceus --length 128 --truncate -o genome.npy --mask genome.mask.npy',
    'gzip -c genome.fa | crayon dna encode - -m evo2 --type uint8 --no-progress -o genome.raw',
  )
    .description('write the ids of the records of FASTA and FASTQ files (gzip too)')
    .action(async (files: string[], { ignore, ...flags }: EncodeFlags) => {
      const { encodeDna } = await import('./dna-encode.js');
      ended(await encodeDna(await inputsOf(files, ignore), { ...flags, json: flags.json ?? false }));
    });

  withExamples(
    withChecks(
      withPolicies(
        withFiles(dna.command('validate'))
          .option('-m, --model <model>', `find bases that it rejects or does not know: ${WHAT_MODEL}`, vocabulary)
          .option('--tokenizer-json <file>', "for dnabert2: the model's tokenizer.json", nonEmpty),
      ),
    )
      .option('--no-progress', 'show no progress bar')
      .option('--json', 'write one JSON object'),
    'crayon dna validate genome.fa',
    'crayon dna validate genome.fa -m nt-v2 --lower-case normalize',
    'gzip -c genome.fa | crayon dna validate --json',
  )
    .description('count records and bases; fail if records are damaged, or if encode would reject them or write unknown ids')
    .action(async (files: string[], { ignore, ...flags }: Flags & { ignore?: string[] }) => {
      const { validateDna } = await import('./validate.js');
      ended(await validateDna(await inputsOf(files, ignore), { ...flags, json: flags.json ?? false }));
    });

  withExamples(
    dna.command('list-models').option('--json', 'write one JSON object'),
    'crayon dna list-models',
    'crayon dna list-models --json',
  )
    .description('show the built-in vocabularies')
    .action(async (flags: Flags) => {
      const { listModels } = await import('./dna-info.js');
      ended(await listModels({ json: flags.json ?? false }));
    });

  withExamples(
    withPolicies(dna.command('info'))
      .argument('[MODEL]', WHAT_MODEL, vocabulary)
      .option('--tokenizer-json <file>', "for dnabert2: the model's tokenizer.json", nonEmpty)
      .option('--json', 'write one JSON object'),
    'crayon dna info',
    'crayon dna info nt-v2',
  )
    .description('show what is installed (backend, kernels, models), or one vocabulary with its policies')
    .action(async (model: string | undefined, flags: Flags) => {
      const { dnaInfo } = await import('./dna-info.js');
      ended(await dnaInfo(model, { ...flags, json: flags.json ?? false }, version));
    });

  withExamples(dna.command('demo').option('--json', 'write one JSON object'), 'crayon dna demo', 'crayon dna demo --json')
    .description('show how each model encodes a short sequence')
    .action(async (flags: Flags) => {
      const { demo } = await import('./demo.js');
      ended(await demo({ json: flags.json ?? false }));
    });

  const bench = withExamples(
    dna.command('bench'),
    'crayon dna bench --seconds 1',
    'crayon dna bench grid --quick grid.jsonl && crayon dna bench audit grid.jsonl',
  ).description('measure how fast this machine encodes matrices of bases');
  addBenchCommands(bench, version, ended);
}

const GRID = `
Configurations:
  hyenadna and nt-v2; 12 shapes, from 256 × 512 to 2,048 × 4,096 bases; ids as int32 and
  int64, to the memory of the CPU and, where there is one, of a device. Each as one
  matrix of strings and of bytes, and as a stream of 8 with and without work ahead.
  Each has 3 passes to warm up and 5 that are timed.
The file has a line of JSON for each, written when it is measured: after an interrupt,
the same command goes on. "audit" compares the ids, "aggregate" shows the speeds.`;

/** The commands of a group take options of the same names; the first one needs no name. */
function addBenchCommands(bench: Command, version: string, ended: (succeeded: boolean) => void): void {
  withExamples(
    withModel(bench.command('speed', { isDefault: true }))
      .option('-t, --seconds <number>', 'how long to measure; everything runs at least eight times', seconds, 5)
      .option('--json', 'write one JSON object'),
    'crayon dna bench --seconds 1',
    'crayon dna bench speed --seconds 1 --model nt-v2',
  )
    .description('compare a model with plain JavaScript, on one thread (default)')
    .action(async (flags: Flags & { model: string }) => {
      const { benchDna } = await import('./dna-bench.js');
      ended(await benchDna({ ...flags, json: flags.json ?? false }, version));
    });

  withExamples(
    bench
      .command('grid')
      .argument('FILE', 'file of results, which an interrupted run continues', nonEmpty)
      .option('--quick', 'one small shape, two passes: a test that everything works, not of speed')
      .option('--device <name>', 'auto, cpu, cuda or hip; auto takes a device if there is one', device, 'auto')
      .option('--no-progress', 'show no progress bar')
      .option('--json', 'write one JSON object')
      .addHelpText('after', GRID),
    'crayon dna bench grid --quick --device cpu grid.jsonl',
    'crayon dna bench grid --quick --device cpu grid.jsonl && crayon dna bench audit grid.jsonl',
  )
    .description('measure every configuration of a grid of shapes, types and devices')
    .action(async (file: string, flags: GridOptions) => {
      const { measureGrid } = await import('./grid.js');
      ended(await measureGrid(file, flags, version));
    });

  const ofFile = (name: string, description: string) =>
    withExamples(
      bench.command(name).argument('FILE', 'file of "crayon dna bench grid"', nonEmpty).option('--json', 'write one JSON object'),
      `crayon dna bench ${name} grid.jsonl`,
      `crayon dna bench ${name} grid.jsonl --json`,
    ).description(description);
  ofFile('audit', 'check that every configuration is there once, with the ids of a plain loop').action(
    async (file: string, flags: Flags) => {
      const { auditGrid } = await import('./grid.js');
      ended(await auditGrid(file, { json: flags.json ?? false }));
    },
  );
  ofFile('aggregate', 'show the speeds, the fastest configurations, and what each choice changes').action(
    async (file: string, flags: Flags) => {
      const { aggregateGrid } = await import('./grid.js');
      ended(await aggregateGrid(file, { json: flags.json ?? false }));
    },
  );
}
