// The compiler in the addon.

import type { Compiler } from '../compile/compiler.js';
import { compilerOn } from '../engine/compiler.js';
import { native } from './addon.js';

/** Throws the loader's error if no addon loaded. */
export function nativeCompiler(): Compiler {
  const { addon: engine } = native();
  return compilerOn(() => ({
    engine,
    withCartridge(source, dat, use) {
      const tokenizer = engine.load(source, 0, 0, '', dat);
      if (tokenizer < 0) return engine.failure();
      try {
        return use(tokenizer);
      } finally {
        engine.close(tokenizer);
      }
    },
  }));
}
