// The commands `crayon dna …`: their arguments and options. Each has its own file, loaded on demand.

import { type Command, Option } from 'commander';

import { withExamples, withFiles } from '../command-parts.js';
import type { DnaGiven } from './model.js';
import type { DnaEncodeGiven } from './output.js';
import { inputsOf } from '../input/inputs.js';
import { nonEmpty, positive, seconds, vocabulary } from '../input/option-values.js';

interface Given extends DnaGiven {
  json?: boolean;
  progress: boolean;
  seconds: number;
}

interface EncodeGiven extends Omit<DnaEncodeGiven, 'json'> {
  ignore?: string[];
  json?: boolean;
}

const DEFAULT_MODEL = 'hyenadna';
const WHAT_MODEL = 'name that list-models shows, or path of a cartridge';

function withModel(command: Command): Command {
  return command
    .option('-m, --model <model>', WHAT_MODEL, vocabulary, DEFAULT_MODEL)
    .option('--tokenizer-json <file>', 'for dnabert2: the tokenizer.json of the model', nonEmpty);
}

/** Adds the options for letters other than plain bases; the default is the model's behaviour. */
function withPolicies(command: Command): Command {
  return command
    .addOption(new Option('--lower-case <policy>', 'refuse lower case, make it upper case, or keep it').choices(LETTERS))
    .addOption(new Option('--ambiguous <policy>', 'refuse codes of several bases (R, Y, S …), make them N, or keep them').choices(LETTERS))
    .addOption(new Option('--n <policy>', 'refuse N, or keep it').choices(['reject', 'keep']))
    .addOption(
      new Option('--tail <policy>', 'the bases at the end that fill no k-mer: single ids, one id of padding, or none').choices([
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

/** Adds all commands. `version`: the package's. `ended`: called with whether everything succeeded. */
export function addDnaCommands(program: Command, version: string, ended: (succeeded: boolean) => void): void {
  const dna = withExamples(
    program.command('dna'),
    'crayon dna demo',
    'crayon dna list-models',
    'crayon dna encode genome.fa -m nt-v2 --window 600 -o genome.npy',
  ).description('ids of DNA for models of genomes, from FASTA and FASTQ files');

  withExamples(
    withChecks(withPolicies(withModel(withFiles(dna.command('encode')))))
      .option('-o, --output <file>', 'file to write; see below', nonEmpty)
      .addOption(new Option('-t, --type <type>', 'of the ids in a file').choices(['uint8', 'uint16', 'int32', 'int64']).default('int32'))
      .option('-l, --length <ids>', 'ids in each row of the matrix; shorter ones are padded', positive)
      .option('--truncate', 'cut off rows that are longer, which are a failure otherwise')
      .option('-w, --window <bases>', 'a row for each window of so many bases', positive)
      .option('--stride <bases>', 'from one window to the next (default: that of --window)', positive)
      .addOption(new Option('--side <side>', 'where the padding goes (default: where the model has it)').choices(['left', 'right']))
      .option('--special-tokens', 'with the ids that the model wants before and after a sequence')
      .option('--reverse-complement', 'of the other strand, read in its direction')
      .option('--mask <file>', 'matrix with 1 for ids and 0 for padding to write, NAME.npy', nonEmpty)
      .option(
        '--skip-damaged',
        'leave out records that are damaged or rejected, name them, and go on; the exit code is 1 if there are some',
      )
      .option('--names <file>', 'file to write with a line for each row: the name of its record, and of a window NAME:FIRST-LAST', nonEmpty)
      .option('--no-progress', 'show no progress bar')
      .option('--json', 'write one JSON object: the ids, or with --output what has been written')
      .addHelpText('after', OUTPUTS),
    'crayon dna encode genome.fa',
    'crayon dna encode genome.fa -m nt-v2 --window 600 --stride 300 --special-tokens -o genome.npy --names genome.names',
    'crayon dna encode "*.fa" -m caduceus --length 128 --truncate -o genome.npy --mask genome.mask.npy',
    'gzip -c genome.fa | crayon dna encode - -m evo2 --type uint8 --no-progress -o genome.raw',
  )
    .description('write the ids of the records of FASTA and FASTQ files (gzip too)')
    .action(async (files: string[], { ignore, ...given }: EncodeGiven) => {
      const { encodeDna } = await import('./encode.js');
      ended(await encodeDna(await inputsOf(files, ignore), { ...given, json: given.json ?? false }));
    });

  withExamples(
    withChecks(
      withPolicies(
        withFiles(dna.command('validate'))
          .option('-m, --model <model>', `find bases that it rejects or does not know: ${WHAT_MODEL}`, vocabulary)
          .option('--tokenizer-json <file>', 'for dnabert2: the tokenizer.json of the model', nonEmpty),
      ),
    )
      .option('--no-progress', 'show no progress bar')
      .option('--json', 'write one JSON object'),
    'crayon dna validate genome.fa',
    'crayon dna validate genome.fa -m nt-v2 --lower-case normalize',
    'gzip -c genome.fa | crayon dna validate --json',
  )
    .description('count records and bases; fail if records are damaged, or if encode would reject them or write unknown ids')
    .action(async (files: string[], { ignore, ...given }: Given & { ignore?: string[] }) => {
      const { validateDna } = await import('./validate.js');
      ended(await validateDna(await inputsOf(files, ignore), { ...given, json: given.json ?? false }));
    });

  withExamples(
    dna.command('list-models').option('--json', 'write one JSON object'),
    'crayon dna list-models',
    'crayon dna list-models --json',
  )
    .description('show the built-in vocabularies')
    .action(async (given: Given) => {
      const { listModels } = await import('./models.js');
      ended(await listModels({ json: given.json ?? false }));
    });

  withExamples(
    withPolicies(dna.command('info'))
      .argument('[MODEL]', WHAT_MODEL, vocabulary)
      .option('--tokenizer-json <file>', 'for dnabert2: the tokenizer.json of the model', nonEmpty)
      .option('--json', 'write one JSON object'),
    'crayon dna info',
    'crayon dna info nt-v2',
  )
    .description('show what is installed (backend, kernels, models), or one vocabulary with its policies')
    .action(async (model: string | undefined, given: Given) => {
      const { dnaInfo } = await import('./info.js');
      ended(await dnaInfo(model, { ...given, json: given.json ?? false }, version));
    });

  withExamples(dna.command('demo').option('--json', 'write one JSON object'), 'crayon dna demo', 'crayon dna demo --json')
    .description('show what each model makes of a short sequence')
    .action(async (given: Given) => {
      const { demo } = await import('./demo.js');
      ended(await demo({ json: given.json ?? false }));
    });

  withExamples(
    withModel(dna.command('bench'))
      .option('-t, --seconds <number>', 'how long to measure; everything runs at least eight times', seconds, 5)
      .option('--json', 'write one JSON object'),
    'crayon dna bench --seconds 1',
    'crayon dna bench --seconds 1 --model nt-v2',
  )
    .description('measure how fast this machine encodes matrices of bases, beside plain JavaScript')
    .action(async (given: Given & { model: string }) => {
      const { benchDna } = await import('./bench.js');
      ended(await benchDna({ ...given, json: given.json ?? false }, version));
    });

  for (const command of dna.commands) {
    command.showHelpAfterError(`"crayon dna ${command.name()} --help" shows its arguments and options.`);
  }
}
