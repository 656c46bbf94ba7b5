// WordPiece and WordLevel of a file: words to ids, by their longest known parts or as they are.

import type { CompilerModel } from '../compile/compiler.js';
import { joinTokens, type TokenTable } from '../open/token-table.js';
import { checkTexts, type ModelTokens } from './model-tokens.js';
import { type JsonNode, shown } from './json-node.js';

/** More than any word has, for a file without a limit. */
const MOST_CHARACTERS = 2 ** 31;

/** The model as the engine compiles it. Throws a TokenizerError for one that encoding could fail with. */
export function wordModelOf(model: JsonNode, kind: 'wordpiece' | 'wordlevel', tokens: ModelTokens): TokenTable & CompilerModel {
  const unknown = model.at('unk_token');
  const unknownId = tokens.ids.get(unknown.text());
  if (unknownId === undefined) return unknown.malformed(`a token of model.vocab, which has no ${shown(unknown.text())},`);
  checkTexts(tokens.texts, (text) => model.at('vocab').entry(text));
  const isLevel = kind === 'wordlevel';
  const wordPiece = {
    prefix: isLevel ? '' : model.at('continuing_subword_prefix').text(),
    mostCharacters: isLevel ? 0 : model.at('max_input_chars_per_word').id(MOST_CHARACTERS),
    unknownId,
    wholeWords: isLevel,
  };
  return { ...joinTokens(tokens.texts), model: 'wordpiece', wordPiece };
}
