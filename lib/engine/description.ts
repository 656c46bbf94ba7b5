// What a tokenizer is: its vocabulary and template, as the engine tells them.

import type { EngineHost } from './binding.js';
import type { AddedToken, Description, Section } from './engine.js';
import type { CartridgeFunctions, Handle, TokenizerFunctions } from './functions.js';

type Engine = EngineHost & CartridgeFunctions & TokenizerFunctions;

/** Flags of crayon_tokenizer_added_token. */
const SPECIAL = 1;
const NORMALIZED = 2;
const STRIPS = 4 | 8;
const SINGLE_WORD = 16;
const NEVER_FOUND = 32;
export const NO_ID = 0xffffffff;

/** What has been opened of a cartridge. `view`: its index. */
export interface Opened {
  readonly cartridge: Handle;
  readonly tokenizer: Handle;
  readonly view: number;
}

export function descriptionOf(engine: Engine, { cartridge, tokenizer, view }: Opened): Description {
  const views = viewNames(engine, cartridge);
  return {
    name: views[view] as string,
    views,
    vocabularySize: engine.tokenizerVocabularySize(tokenizer),
    model: engine.tokenizerModel(tokenizer),
    scanner: engine.tokenizerScanner(tokenizer),
    normalizer: engine.tokenizerNormalizer(tokenizer),
    unknownId: idOrNone(engine.tokenizerUnknownId(tokenizer)),
    unknownUnit: engine.tokenizerUnknownBytes(tokenizer) ? 'byte' : undefined,
    kernel: engine.tokenizerKernel(tokenizer),
    metadata: engine.cartridgeMetadata(cartridge) ?? '',
    addedTokens: addedTokens(engine, tokenizer),
    ...templateOf(engine, tokenizer),
  };
}

/** The names of a cartridge's views. */
export function viewNames(engine: CartridgeFunctions, cartridge: Handle): string[] {
  const names: string[] = [];
  for (;;) {
    const name = engine.cartridgeViewName(cartridge, names.length);
    if (name === undefined) return names;
    names.push(name);
  }
}

/** The section table of a cartridge, in file order. */
export function sectionsOf(engine: CartridgeFunctions, cartridge: Handle): Section[] {
  const sections: Section[] = [];
  const row = new Uint32Array(4);
  while (engine.cartridgeSection(cartridge, sections.length, row) === 1) {
    const [id, flags, offset, length] = row as unknown as [number, number, number, number];
    sections.push({ id, flags, offset, length });
  }
  return sections;
}

export function idOrNone(id: number): number | undefined {
  return id === NO_ID ? undefined : id;
}

function addedTokens(engine: TokenizerFunctions, tokenizer: Handle): AddedToken[] {
  const tokens: AddedToken[] = [];
  const numbers = new Uint32Array(3);
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  for (;;) {
    const bytes = engine.tokenizerAddedToken(tokenizer, tokens.length, numbers);
    if (!bytes) return tokens;
    const has = (flag: number) => ((numbers[2] as number) & flag) !== 0;
    tokens.push({
      text: decoder.decode(bytes),
      id: numbers[1] as number,
      special: has(SPECIAL),
      ...(has(STRIPS) && { strips: true }),
      ...(has(SINGLE_WORD) && { singleWord: true }),
      ...(has(NORMALIZED) && { normalized: true }),
      ...(has(NEVER_FOUND) && { neverFound: true }),
    });
  }
}

function templateOf(engine: TokenizerFunctions, tokenizer: Handle): Pick<Description, 'prefix' | 'suffix'> {
  const counts = new Uint32Array(2);
  const ids = Array.from(engine.tokenizerTemplate(tokenizer, counts) ?? []);
  return { prefix: ids.slice(0, counts[0]), suffix: ids.slice(counts[0]) };
}
