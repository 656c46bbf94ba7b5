// The texts of tokens as a tokenizer.json spells them: `Ġworld`, `▁world`, `##ing`. Read when they are first asked for.

import { TokenTexts } from '../decode/token-texts.js';
import { checkedSpec } from '../decode/spec.js';
import { engineOf, type Tokenizer } from '../tokenizer/tokenizer.js';

interface Parsed {
  added_tokens?: { id: number; content: string }[];
  model?: { vocab?: Record<string, number> | [string, number][] };
}

type Ids = ReadonlyMap<string, number>;

export class TokenNames {
  readonly #read: () => Ids;
  readonly #normalized: ReadonlyMap<number, string>;
  #ids: Ids | undefined;
  #names: string[] | undefined;

  /** `normalized`: how texts spell the added tokens that the normalizer changes. Python names these tokens so. */
  constructor(read: () => Ids, normalized: ReadonlyMap<number, string>) {
    this.#read = read;
    this.#normalized = normalized;
  }

  /** Undefined for an id that no token has. */
  nameOf(id: number): string | undefined {
    return this.all[id];
  }

  /** By their ids. */
  get all(): readonly (string | undefined)[] {
    if (!this.#names) {
      this.#names = [];
      for (const [name, each] of this.ids) this.#names[each] = name;
      for (const [each, name] of this.#normalized) this.#names[each] = name;
    }
    return this.#names;
  }

  get ids(): Ids {
    this.#ids ??= this.#read();
    return this.#ids;
  }
}

/** The ids of the tokens in the text of a tokenizer.json. */
export function idsInJson(text: string): Ids {
  const { added_tokens = [], model } = JSON.parse(text.replace(/^\ufeff/, '')) as Parsed;
  const vocabulary = model?.vocab ?? {};
  const own = Array.isArray(vocabulary) ? vocabulary.map(([name], id) => [name, id] as const) : Object.entries(vocabulary);
  return new Map([...own, ...added_tokens.map(({ content, id }) => [content, id] as const)]);
}

/** The same of a cartridge, which has the bytes of tokens and how a decoder reads them. */
export function idsInCartridge(tokenizer: Tokenizer): Ids {
  const { decoder } = tokenizer.metadata;
  // Without one, decoding joins the bytes of byte-level tokens.
  const texts = new TokenTexts(
    engineOf(tokenizer),
    decoder ? checkedSpec(decoder, engineOf(tokenizer)) : { form: 'byte-level', steps: [] },
  );
  const ids = new Map<string, number>();
  for (const { id } of tokenizer.tokens()) ids.set(texts.of(id, 0), id);
  return ids;
}
