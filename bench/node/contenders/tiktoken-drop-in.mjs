/** This package through its replacement for npm tiktoken. `tiktoken-drop-in@FOLDER` is from another checkout. */
import { entryOf, version } from './crayon.mjs';
import { load, prepare as prepareModule } from './tiktoken.mjs';

export const name = 'tiktoken-drop-in';
export { load, version };

export async function prepare(variant) {
  await prepareModule(undefined, entryOf(variant, './tiktoken'));
}
