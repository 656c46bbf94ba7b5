// `crayon decode`: the bytes of the ids in each input; if the vocabulary has a decoder, its text, since decoders depend on
// several ids.

import { TokenizerError } from '../base/errors.js';
import { Tokenizer } from '../index.js';
import { vocabularyOf } from '../api/tokenizer.js';
import { report } from './report-failures.js';
import { readIds } from './input/read-ids.js';
import { tellFailure, write } from './output/terminal.js';
import { chunksOf, tellKind } from './input/file-arguments.js';
import { InputError } from './command-errors.js';

/** Whether all inputs succeeded. */
export async function decode(inputs: string[], options: { source: string; skipSpecial: boolean }): Promise<boolean> {
  using tokenizer = await Tokenizer.load(options.source);
  const { decoding } = vocabularyOf(tokenizer);
  let failed = false;
  let wereIds = false;
  for (const file of inputs) {
    let before = 0;
    const run = decoding?.begin(options.skipSpecial);
    tellKind(file, false);
    try {
      for await (const ids of readIds(chunksOf(file))) {
        try {
          await write(run ? run.push(ids) : tokenizer.decodeBytes(ids, { skipSpecialTokens: options.skipSpecial }));
        } catch (error) {
          if (!(error instanceof TokenizerError && error.code === 'INVALID_ID')) throw error;
          const { position } = error;
          const number = before + position + 1;
          const id = `the id ${ids[position]} (number ${number})`;
          throw new InputError(`${id} is not in the vocabulary of ${tokenizer.name}`);
        }
        before += ids.length;
      }
      if (run) await write(run.end());
    } catch (error) {
      failed = true;
      report(file, error);
      wereIds ||= /^\d+$/.test(file);
    }
  }
  if (wereIds) tellFailure('ids are read from files and from standard input: echo 24912 2375 | crayon decode');
  return !failed;
}
