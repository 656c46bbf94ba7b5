/** This package through its replacement for npm gpt-tokenizer. `gpt-tokenizer-drop-in@FOLDER` is from another checkout. */
import { entryOf, version } from './crayon.mjs';
import { load, prepare as prepareModule } from './gpt-tokenizer.mjs';

export const name = 'gpt-tokenizer-drop-in';
export { load, version };

export async function prepare(variant) {
  await prepareModule(undefined, (encoding) => entryOf(variant, `./gpt-tokenizer/encoding/${encoding}`));
}
