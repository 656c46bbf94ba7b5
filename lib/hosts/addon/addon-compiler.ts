// The compiler in the addon.

import type { Compiler } from '../../engine/compiler.js';
import { compilerOn } from '../../engine/compiler.js';
import { openCartridge } from '../../vocabularies/open/open-tokenizer.js';
import { native } from './addon.js';

/** Throws the loader's error if no addon loaded. */
export function nativeCompiler(): Compiler {
  const { addon: engine } = native();
  return compilerOn(() => ({
    engine,
    withCartridge(source, dat, use) {
      const cartridge = openCartridge(engine, source, 0, dat);
      if (cartridge < 0) return engine.failure();
      try {
        return use(cartridge);
      } finally {
        engine.cartridgeRelease(cartridge);
      }
    },
  }));
}
