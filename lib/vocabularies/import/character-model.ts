// BPE over characters of a file, as converters of SentencePiece models write it, or GPT-1.

import type { CompilerModel } from '../../engine/compiler.js';
import type { TokenTable } from '../../base/token-table.js';
import { withHiddenTokens } from './character-bpe.js';
import { mergeNode } from './merges.js';
import { checkTexts } from './model-tokens.js';
import { shown } from './json-node.js';
import { idsOfBytes } from './trie-models.js';
import { type BpeOfFile, placedTokens, withWordTokens, wordSuffixOf } from './word-bpe.js';

/** The model of a file with BPE over characters. */
export function characterModelOf(file: BpeOfFile): TokenTable & CompilerModel {
  const { model, tokens, merges, mergesWithout, onlyAdded, limit } = file;
  const { ids, texts } = tokens;
  checkTexts(texts, (text) => model.at('vocab').entry(text));
  const byteIds = model.at('byte_fallback').truth(false) ? idsOfBytes(ids) : undefined;
  // Gemma has a tab in place of its byte: what is a token as a character needs none.
  const missing = byteIds?.findIndex((id, byte) => id === NONE && !(byte < 0x80 && ids.has(String.fromCharCode(byte)))) ?? -1;
  if (missing >= 0) model.at('byte_fallback').unsupported(`a byte without a token: ${missing} has none`);
  const isOfByte = new Set(byteIds?.filter((id) => id !== NONE));
  const half = merges.findIndex((id) => isOfByte.has(id));
  if (half >= 0) {
    const [left, right] = [texts[merges[half & ~1] as number], texts[merges[half | 1] as number]];
    mergeNode(model.at('merges'), left, right).unsupported('a merge with the token of a byte');
  }
  const unknown = model.at('unk_token');
  const unknownId = unknown.isNone ? undefined : ids.get(unknown.text());
  if (!unknown.isNone && unknownId === undefined) unknown.malformed(`a token of model.vocab, which has no ${shown(unknown.text())},`);
  if (unknownId !== undefined && !byteIds && merges.includes(unknownId))
    unknown.unsupported('a token that merges, for characters without one');
  if (model.at('ignore_merges').truth(false)) model.at('ignore_merges').unsupported('whole pieces of characters');
  if (unknownId === undefined && !byteIds) unknown.unsupported('characters without a token are left out');
  const fusesUnknown = model.at('fuse_unk').truth(false);
  const suffix = wordSuffixOf(model);
  if (suffix !== '') {
    // The reference writes the bytes of the suffix, too, for a character without a token.
    if (byteIds || unknownId === undefined) return model.at('end_of_word_suffix').unsupported('beside byte_fallback');
    const placed = placedTokens(file, suffix);
    return { ...withWordTokens({ ...placed, unknownId, fusesUnknown, limit }), model: 'bpe' };
  }
  const table = withHiddenTokens({
    texts: texts.map((text, id) => (onlyAdded.has(id) || isOfByte.has(id) ? undefined : text)),
    merges: mergesWithout(onlyAdded),
    unmatched: [],
    byteIds,
    unknownId,
    fusesUnknown,
    limit,
  });
  return { ...table, model: 'bpe' };
}

/** The id of a byte without a token. */
const NONE = 0xffffffff;
