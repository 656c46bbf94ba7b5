// Explains why the compiler refused an imported vocabulary, and names the JSON path in its file.

import { type Failure, TokenizerError } from '../base/errors.js';
import { byteLevel } from '../decode/bytes.js';
import type { PatternRefusal } from '../patterns/tables.js';
import { type JsonNode, shown } from './json-node.js';
import type { Stage } from './pretokenizer.js';

export function refusedImport(failure: Failure, root: JsonNode): TokenizerError {
  const { code, position } = failure;
  if (code === 'MISSING_BYTE_TOKEN') {
    const character = byteLevel(Uint8Array.of(position));
    return root
      .at('model')
      .at('vocab')
      .error(`expected a token for each of the 256 bytes but found no ${shown(character)}`, code);
  }
  const what = position === 0 ? failure.sentence : `${failure.sentence} (position ${position})`;
  return root.error(what, code);
}

/** The same for a SentencePiece model. */
export function refusedPieces(failure: Failure, name: string): TokenizerError {
  const { position, section, sentence } = failure;
  return new TokenizerError(`cannot import ${name}: ${sentence} (section ${section}, position ${position})`, failure);
}

/** The same for a tekken.json. */
export function refusedTekken(failure: Failure, root: JsonNode): TokenizerError {
  const { code, position, sentence } = failure;
  const vocab = root.at('vocab');
  const specials = root.at('config').at('default_num_special_tokens').id(Infinity);
  if (code === 'DUPLICATE_TOKEN' && position >= specials) {
    const rank = position - specials;
    let node = vocab;
    vocab.eachElement((_, at, index) => {
      if (index === rank) node = vocab.element(index, at);
      return index === rank;
    });
    return node.at('token_bytes').error('another rank has the same bytes', code);
  }
  if (code === 'MISSING_BYTE_TOKEN') return vocab.error(`expected a token for each of the 256 bytes but found none for ${position}`, code);
  return root.error(position === 0 ? sentence : `${sentence} (position ${position})`, code);
}

/** For patterns without tables. */
export function refusedPretokenizer({ what, index }: PatternRefusal, stages: string | readonly Stage[], root: JsonNode): never {
  const stage = index === undefined || typeof stages === 'string' ? undefined : stages[index];
  const node = stage?.node ?? root.at('pre_tokenizer');
  const pattern = node.at('pattern').at('Regex');
  return (stage && !pattern.isNone ? pattern : node).unsupported(`${what}`);
}
