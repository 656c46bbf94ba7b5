// What a tokenizer in an instance is: its vocabulary and template, as the engine tells them.

import type { Description } from '../engine/engine.js';
import type { WasmCore } from './core.js';

const ADDED_SPECIAL = 1;
const ADDED_STRIPS = 4 | 8;
const ADDED_SINGLE_WORD = 16;
const ADDED_NORMALIZED = 2;
const ADDED_NEVER_FOUND = 32;
export const NO_ID = 0xffffffff;

/** An open tokenizer's objects in the engine. They are released together with the instance. */
export interface Open {
  core: WasmCore;
  cartridge: number;
  tokenizer: number;
  view: number;
}

export function descriptionOf({ core, cartridge, tokenizer, view }: Open): Description {
  const { engine } = core;
  const views = viewNames(core, cartridge);
  return {
    name: views[view] as string,
    views,
    vocabularySize: engine.crayon_tokenizer_vocabulary_size(tokenizer) >>> 0,
    model: core.cString(engine.crayon_tokenizer_model(tokenizer)),
    scanner: core.cString(engine.crayon_tokenizer_scanner(tokenizer)),
    normalizer: core.cString(engine.crayon_tokenizer_normalizer(tokenizer)),
    unknownId: idOrNone(engine.crayon_tokenizer_unknown_id(tokenizer)),
    unknownUnit: engine.crayon_tokenizer_unknown_bytes(tokenizer) ? 'byte' : undefined,
    kernel: core.cString(engine.crayon_tokenizer_kernel(tokenizer)),
    metadata: core.utf8(engine.crayon_cartridge_metadata(cartridge, core.out), core.outWord(0)),
    addedTokens: addedTokens(core, tokenizer),
    ...template(core, tokenizer),
  };
}

/** The names of a cartridge's views. */
export function viewNames(core: WasmCore, cartridge: number): string[] {
  const names: string[] = [];
  for (;;) {
    const at = core.engine.crayon_cartridge_view_name(cartridge, names.length, core.out);
    if (at === 0) return names;
    names.push(core.utf8(at, core.outWord(0)));
  }
}

export function idOrNone(id: number): number | undefined {
  return id >>> 0 === NO_ID ? undefined : id >>> 0;
}

function template(core: WasmCore, tokenizer: number): Pick<Description, 'prefix' | 'suffix'> {
  const at = core.engine.crayon_tokenizer_template(tokenizer, core.out);
  const [before, after] = [core.outWord(0), core.outWord(1)];
  const ids = Array.from(new Uint32Array(core.bytes.buffer, at, before + after));
  return { prefix: ids.slice(0, before), suffix: ids.slice(before) };
}

function addedTokens(core: WasmCore, tokenizer: number): Description['addedTokens'] {
  const tokens: Description['addedTokens'] = [];
  for (;;) {
    const at = core.engine.crayon_tokenizer_added_token(tokenizer, tokens.length, core.out);
    if (at === 0) return tokens;
    const has = (flag: number) => (core.outWord(2) & flag) !== 0;
    tokens.push({
      text: core.utf8(at, core.outWord(0)),
      id: core.outWord(1),
      special: has(ADDED_SPECIAL),
      ...(has(ADDED_STRIPS) && { strips: true }),
      ...(has(ADDED_SINGLE_WORD) && { singleWord: true }),
      ...(has(ADDED_NORMALIZED) && { normalized: true }),
      ...(has(ADDED_NEVER_FOUND) && { neverFound: true }),
    });
  }
}
