// `crayon dna encode`: the ids of the records of FASTA and FASTQ files, as a matrix, as raw ids, or as text. Memory does
// not grow with the inputs.

import { TextOutput } from './text-output.js';
import { MatrixFile } from './matrix-file.js';
import { type Model, openModel } from './model.js';
import type { DnaEncodeGiven, FileChecks, IdOutput } from './output.js';
import { RawFile } from './raw-file.js';
import { Damages, Rejections } from './left-out.js';
import { BaseError } from './dna-failures.js';
import { RnaFilter } from './rna.js';
import { type SequencePart, sequencesOf } from './read-sequences.js';
import { Unknowns } from './unknown.js';
import { report } from '../report-failures.js';
import { UsageError } from '../command-errors.js';
import { totalSize } from '../input/file-arguments.js';
import { untilInterrupted } from '../interrupt.js';
import { isSameFile } from '../output/output-file.js';
import { Progress } from '../output/progress.js';
import { write } from '../output/standard-streams.js';

type Kind = 'matrix' | 'raw' | 'text';

/** Whether everything succeeded. */
export async function encodeDna(inputs: readonly string[], given: DnaEncodeGiven): Promise<boolean> {
  const kind = given.output === undefined ? 'text' : /\.npy$/i.test(given.output) ? 'matrix' : 'raw';
  checkUsage(inputs, given, kind);
  using model = openModel(given.model, given);
  const Output = { matrix: MatrixFile, raw: RawFile, text: TextOutput }[kind];
  return await untilInterrupted(async (signal) => {
    await using output: IdOutput = new Output(given, model);
    await output.start();
    return await encodeTo(output, inputs, model, given, signal);
  });
}

async function encodeTo(
  output: IdOutput,
  inputs: readonly string[],
  { dna }: Model,
  given: DnaEncodeGiven,
  signal: AbortSignal,
): Promise<boolean> {
  const progress = new Progress(totalSize(inputs), given.progress);
  let failed = false;
  try {
    for (const file of inputs) {
      let error: string | undefined;
      const onRead = (bytes: number) => void progress.add(bytes);
      const damages = given.skipDamaged ? new Damages(file) : undefined;
      const rejections = given.skipDamaged ? new Rejections(file, dna.name) : undefined;
      const unknowns = new Unknowns(dna, given.unknown);
      const refuse = (error: unknown) => {
        if (!rejections || !(error instanceof BaseError)) throw error;
        rejections.add(error);
      };
      output.begin(file, { unknowns, refuse });
      const take = takerOf(output, { unknowns, refuse }, new RnaFilter(given.rna));
      try {
        for await (const parts of sequencesOf(file, { signal, onRead, onDamage: damages?.add })) {
          if (damages?.isNew()) await output.leave();
          for (const part of parts) await take(part);
        }
        if (damages?.isNew()) await output.leave();
        await output.flush();
      } catch (thrown) {
        error = report(file, thrown);
        failed = true;
        if (output.isOne) return false;
      }
      damages?.end();
      rejections?.end();
      unknowns.report(file);
      if (damages?.count || rejections?.count) failed = true;
      await output.end({ unknowns, error: error ?? damages?.error, damaged: damages?.count, rejected: rejections?.count });
    }
  } finally {
    progress.end();
  }
  await write(await output.finish());
  return !failed;
}

/** Passes parts of sequences to an output. Leaves out the rest of a rejected record. */
function takerOf(output: IdOutput, { refuse }: FileChecks, rna: RnaFilter): (part: SequencePart) => Promise<void> {
  let isLeftOut = false;
  return async (part) => {
    if (part.begins) isLeftOut = false;
    if (isLeftOut) return;
    try {
      for (const _ of output.take(rna.of(part))) await output.flush();
    } catch (error) {
      refuse(error);
      isLeftOut = true;
      await output.leave();
    }
  };
}

/** Throws a UsageError for options that do not go together. */
function checkUsage(inputs: readonly string[], given: DnaEncodeGiven, kind: Kind): void {
  const { output, length, window, stride, truncate, mask, names, side } = given;
  if (output === '-') throw new UsageError('--output - is not supported; without --output, ids are written to standard output');
  if (kind === 'matrix' && length === undefined && window === undefined) {
    throw new UsageError(`--output ${output} is a matrix, which needs --length or --window`);
  }
  const ofMatrix = { length, window, stride, truncate, side, mask, names };
  const [wrong] = Object.entries(ofMatrix).find(([, value]) => value !== undefined) ?? [];
  if (kind !== 'matrix' && wrong !== undefined) throw new UsageError(`--${wrong} is for a matrix, --output NAME.npy`);
  if (stride !== undefined && window === undefined) throw new UsageError('--stride needs --window');
  if (mask !== undefined && !/\.npy$/i.test(mask)) throw new UsageError(`--mask ${mask} is a matrix, NAME.npy`);
  const index = kind === 'raw' ? RawFile.indexOf(output as string) : undefined;
  const outputs = Object.entries({ output, mask, names, index }).filter((entry): entry is [string, string] => entry[1] !== undefined);
  outputs.forEach(([option, file], at) => {
    const shown = option === 'index' ? `${file}, the index of ${output},` : `--${option} ${file}`;
    if (inputs.some((input) => isSameFile(file, input))) throw new UsageError(`${shown} is a file to read`);
    const isTwice = outputs.slice(0, at).some(([, other]) => other === file || isSameFile(file, other));
    if (isTwice) throw new UsageError(`${shown} is another file to write, too`);
  });
}
