// `crayon dna encode`: the ids of the records of FASTA and FASTQ files, as a matrix, as raw ids, or as text. Memory does
// not grow with the inputs.

import { textOutput } from './text-output.js';
import { matrixFile } from './matrix-file.js';
import { type Model, openModel } from './model.js';
import type { EncodeDnaOptions, FileChecks, IdOutput } from './output.js';
import { indexOf, rawFile } from './raw-file.js';
import { LeftOut, LeftOutOfFile } from './left-out.js';
import { BaseError } from './dna-failures.js';
import { rnaFilter, Unknowns } from './letter-policies.js';
import { type SequencePart, sequencesOf } from './read-sequences.js';
import { report } from '../report-failures.js';
import { UsageError, untilInterrupted } from '../command-errors.js';
import { totalSize } from '../input/file-arguments.js';
import { isSameFile } from '../output/output-file.js';
import { Progress, write } from '../output/terminal.js';

const OUTPUTS = { matrix: matrixFile, raw: rawFile, text: textOutput };

/** Whether everything succeeded. */
export async function encodeDna(inputs: readonly string[], options: EncodeDnaOptions): Promise<boolean> {
  const form = options.output === undefined ? 'text' : /\.npy$/i.test(options.output) ? 'matrix' : 'raw';
  checkUsage(inputs, options, form);
  using model = openModel(options.model, options);
  return await untilInterrupted(async (signal) => {
    await using output: IdOutput = OUTPUTS[form](options, model);
    await output.start?.();
    return await encodeTo(output, inputs, model, options, signal);
  });
}

async function encodeTo(
  output: IdOutput,
  inputs: readonly string[],
  { dna }: Model,
  { progress: isWanted, skipDamaged = false, unknown, rna }: EncodeDnaOptions,
  signal: AbortSignal,
): Promise<boolean> {
  const progress = new Progress(totalSize(inputs), isWanted);
  const total = new LeftOut(skipDamaged);
  let failed = false;
  try {
    for (const file of inputs) {
      let error: string | undefined;
      const unknowns = new Unknowns(dna, unknown);
      const left = new LeftOutOfFile(file, unknowns);
      const refuse = (error: unknown) => {
        if (!skipDamaged || !(error instanceof BaseError)) throw error;
        left.addRejection(error);
      };
      output.begin(file, { unknowns, refuse });
      const take = takerOf(output, { unknowns, refuse }, rnaFilter(rna));
      const onRead = (bytes: number) => void progress.add(bytes);
      try {
        for await (const parts of sequencesOf(file, { signal, onRead, onDamage: skipDamaged ? left.addDamage : undefined })) {
          if (left.hasNewDamage()) await output.leave();
          for (const part of parts) await take(part);
        }
        if (left.hasNewDamage()) await output.leave();
        await output.flush();
      } catch (thrown) {
        error = report(file, thrown);
        failed = true;
        if (output.isOne) return false;
      }
      left.end();
      total.add(left);
      await output.end?.(left, error ?? left.error);
    }
  } finally {
    progress.end();
  }
  await write(await output.finish(total));
  return !failed && total.damaged + total.rejected === 0;
}

/** Passes parts of sequences to an output. Leaves out the rest of a rejected record. */
function takerOf(output: IdOutput, { refuse }: FileChecks, asDna: ReturnType<typeof rnaFilter>): (part: SequencePart) => Promise<void> {
  let isLeftOut = false;
  return async (part) => {
    if (part.begins) isLeftOut = false;
    if (isLeftOut) return;
    try {
      for (const _ of output.take(asDna(part))) await output.flush();
    } catch (error) {
      refuse(error);
      isLeftOut = true;
      await output.leave();
    }
  };
}

/** Throws a UsageError for options that do not go together. */
function checkUsage(inputs: readonly string[], options: EncodeDnaOptions, form: keyof typeof OUTPUTS): void {
  const { output, length, window, stride, truncate, mask, names, side } = options;
  if (output === '-') throw new UsageError('--output - is not supported; without --output, ids are written to standard output');
  if (form === 'matrix' && length === undefined && window === undefined) {
    throw new UsageError(`--output ${output} is a matrix, which needs --length or --window`);
  }
  const ofMatrix = { length, window, stride, truncate, side, mask, names };
  const [wrong] = Object.entries(ofMatrix).find(([, value]) => value !== undefined) ?? [];
  if (form !== 'matrix' && wrong !== undefined) throw new UsageError(`--${wrong} is for a matrix, --output NAME.npy`);
  if (stride !== undefined && window === undefined) throw new UsageError('--stride needs --window');
  if (mask !== undefined && !/\.npy$/i.test(mask)) throw new UsageError(`--mask ${mask} is a matrix, NAME.npy`);
  const index = form === 'raw' ? indexOf(output as string) : undefined;
  const outputs = Object.entries({ output, mask, names, index }).filter((entry): entry is [string, string] => entry[1] !== undefined);
  outputs.forEach(([option, file], at) => {
    const shown = option === 'index' ? `${file}, the index of ${output},` : `--${option} ${file}`;
    if (inputs.some((input) => isSameFile(file, input))) throw new UsageError(`${shown} is a file to read`);
    const isTwice = outputs.slice(0, at).some(([, other]) => other === file || isSameFile(file, other));
    if (isTwice) throw new UsageError(`${shown} is another file to write, too`);
  });
}
