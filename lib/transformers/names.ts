// The texts of tokens as a tokenizer.json spells them: `Ġworld`, `▁world`, `##ing`.

import { type AddedTokenJson, idsInJson, TokenNames } from '../encodings/token-names.js';
import { TokenTexts } from '../decode/token-texts.js';
import { checkedSpec } from '../decode/spec.js';
import { tokensOf, type Vocabulary } from '../vocabulary/vocabulary.js';

interface Parsed {
  added_tokens?: AddedTokenJson[];
  model?: { vocab?: Record<string, number> | [string, number][] };
}

/** `spelled`: how texts spell the added tokens that the normalizer changes. Python names these tokens so. */
export function namesInJson(text: string, spelled?: ReadonlyMap<number, string>): TokenNames {
  const { added_tokens, model } = JSON.parse(text.replace(/^\ufeff/, '')) as Parsed;
  return new TokenNames(idsInJson(model?.vocab ?? {}), added_tokens, spelled);
}

/** The same of a cartridge, which has the bytes of tokens and how a decoder reads them. */
export function namesInCartridge(vocabulary: Vocabulary, spelled?: ReadonlyMap<number, string>): TokenNames {
  const { engine, metadata } = vocabulary;
  const { decoder } = metadata;
  // Without one, decoding joins the bytes of byte-level tokens.
  const texts = new TokenTexts(engine, decoder ? checkedSpec(decoder, engine) : { form: 'byte-level', steps: [] });
  return new TokenNames(
    Array.from(tokensOf(vocabulary), ({ id }) => [texts.of(id, 0), id]),
    [],
    spelled,
  );
}
