// The compiler backend in the addon.

import type { Compiler } from '../compile/compiler.js';
import { FORMS, native } from './addon.js';

/** Throws the loader's error if no addon loaded. */
export function nativeCompiler(): Compiler {
  const { addon } = native();
  return {
    normalize(program, text) {
      const bytes = addon.normalize(program, new TextEncoder().encode(text));
      return bytes ? new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes) : addon.failure();
    },
    compile: (vocabulary, form) => addon.compile(vocabulary, FORMS.indexOf(form)) ?? addon.failure(),
    recompile(source, dat, form) {
      const tokenizer = addon.load(source, 0, 0, '', dat);
      if (tokenizer < 0) return addon.failure();
      try {
        return addon.recompile(tokenizer, FORMS.indexOf(form)) ?? addon.failure();
      } finally {
        addon.close(tokenizer);
      }
    },
  };
}
