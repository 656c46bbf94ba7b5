// `crayon decode`: the bytes of the ids in each input.

import { TokenizerError } from '../base/errors.js';
import { Tokenizer } from '../index.js';
import { report } from './failures.js';
import { readIds } from './input/read-ids.js';
import { chunksOf, InputError, write } from './output/streams.js';

/** Whether all inputs went well. */
export async function decode(inputs: string[], options: { source: string; skipSpecial: boolean }): Promise<boolean> {
  using tokenizer = await Tokenizer.load(options.source);
  let failed = false;
  for (const file of inputs) {
    let before = 0;
    try {
      for await (const ids of readIds(chunksOf(file))) {
        try {
          await write(tokenizer.decodeBytes(ids, { skipSpecialTokens: options.skipSpecial }));
        } catch (error) {
          if (!(error instanceof TokenizerError && error.code === 'INVALID_ID')) throw error;
          const { position } = error;
          const number = before + position + 1;
          const id = `the id ${ids[position]} (number ${number})`;
          throw new InputError(`${id} is not in the vocabulary of ${tokenizer.name}`);
        }
        before += ids.length;
      }
    } catch (error) {
      failed = true;
      report(file, error);
    }
  }
  return !failed;
}
