// `crayon dna encode`: the ids of the records of FASTA and FASTQ files, as a matrix, as raw ids, or as text. Memory does
// not grow with the inputs.

import { IdLines, IdsAsJson } from './dna-id-text.js';
import { MatrixFile } from './dna-matrix-file.js';
import { openModel } from './dna-model.js';
import type { DnaEncodeGiven, IdOutput } from './dna-output.js';
import { RawFile } from './dna-raw-file.js';
import { Damages } from './dna-damages.js';
import { BaseError } from './dna-failures.js';
import { sequencesOf } from './dna-sequences.js';
import { report, UsageError } from './failures.js';
import { sizeOf } from './inputs.js';
import { untilInterrupted } from './interrupt.js';
import { isSameFile } from './output-file.js';
import { Progress } from './progress.js';
import { InputError, write } from './streams.js';

type Kind = 'matrix' | 'raw' | 'text';

/** Whether all went well. */
export async function encodeDna(inputs: readonly string[], given: DnaEncodeGiven): Promise<boolean> {
  const kind = given.output === undefined ? 'text' : /\.npy$/i.test(given.output) ? 'matrix' : 'raw';
  checkUsage(inputs, given, kind);
  using model = openModel(given.model, given);
  const Output = { matrix: MatrixFile, raw: RawFile, text: given.json ? IdsAsJson : IdLines }[kind];
  return await untilInterrupted(async (signal) => {
    await using output: IdOutput = new Output(given, model);
    await output.start();
    return await encodeTo(output, inputs, given, signal);
  });
}

async function encodeTo(output: IdOutput, inputs: readonly string[], given: DnaEncodeGiven, signal: AbortSignal): Promise<boolean> {
  const progress = new Progress(inputs.reduce((sum, file) => sum + sizeOf(file), 0), given.progress);
  let failed = false;
  try {
    for (const file of inputs) {
      let error: string | undefined;
      const onRead = (bytes: number) => void progress.add(bytes);
      const damages = given.skipDamaged ? new Damages(file) : undefined;
      output.begin(file);
      try {
        for await (const parts of sequencesOf(file, { signal, onRead, onDamage: damages?.add })) {
          if (damages?.isNew()) await output.leave();
          for (const part of parts) for (const _ of output.take(part)) await output.flush();
        }
        if (damages?.isNew()) await output.leave();
        await output.flush();
      } catch (thrown) {
        error = report(file, given.skipDamaged && thrown instanceof BaseError ? notSkipped(thrown) : thrown);
        failed = true;
        if (output.isOne) return false;
      }
      damages?.end();
      if (damages?.count) failed = true;
      await output.end(error ?? damages?.error, damages?.count);
    }
  } finally {
    progress.end();
  }
  await write(await output.finish());
  return !failed;
}

/** Whoever reads a file past its damages expects as much of letters that the model rejects. */
function notSkipped({ message }: BaseError): InputError {
  return new InputError(`${message}; --skip-damaged goes on at damaged records only, not at bases that a model rejects`);
}

/** Throws a UsageError for options that do not go together. */
function checkUsage(inputs: readonly string[], given: DnaEncodeGiven, kind: Kind): void {
  const { output, length, window, stride, truncate, mask, names, side } = given;
  if (output === '-') throw new UsageError('--output -: what is written is a file; without --output, ids are written to standard output');
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
