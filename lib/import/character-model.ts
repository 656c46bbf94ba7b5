// BPE over characters of a file, as SentencePiece's converters write it: what of it is bytes, unknown, and never found.

import type { CompilerModel } from '../compile/compiler.js';
import type { TokenTable } from '../open/token-table.js';
import { withHiddenTokens } from './character-bpe.js';
import type { Merges } from './merges.js';
import { checkTexts, type ModelTokens } from './model-tokens.js';
import { type JsonNode, shown } from './json-node.js';
import { idsOfBytes } from './unigram-model.js';

/** `onlyAdded`: ids of tokens that merging never makes. `limit`: greater than every id, also of added tokens. */
export function characterModelOf(
  model: JsonNode,
  { ids, texts }: ModelTokens,
  merges: Merges,
  onlyAdded: ReadonlySet<number>,
  limit: number,
): TokenTable & CompilerModel {
  checkTexts(texts, (text) => model.at('vocab').entry(text));
  const byteIds = model.at('byte_fallback').truth(false) ? idsOfBytes(ids) : undefined;
  if (byteIds?.includes(0xffffffff)) {
    model.at('byte_fallback').unsupported(`a byte without a token is not supported with it: ${byteIds.indexOf(0xffffffff)} has none`);
  }
  const isOfByte = new Set(byteIds);
  const unknown = model.at('unk_token');
  const unknownId = unknown.isNone ? undefined : ids.get(unknown.text());
  if (!unknown.isNone && unknownId === undefined) unknown.malformed(`a token of model.vocab, which has no ${shown(unknown.text())},`);
  if (unknownId === undefined && !byteIds)
    model.unsupported('without unk_token, characters without a token would be lost, which is not supported');
  const table = withHiddenTokens({
    texts: texts.map((text, id) => (onlyAdded.has(id) || isOfByte.has(id) ? undefined : text)),
    merges,
    unmatched: [],
    byteIds,
    unknownId,
    fusesUnknown: model.at('fuse_unk').truth(false),
    whole: model.at('ignore_merges').truth(false),
    limit,
  });
  return { bytes: table.bytes, offsets: table.offsets, model: 'bpe', merges: table.merges };
}
