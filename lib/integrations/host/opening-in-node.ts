// How the drop-ins open vocabularies in Node. Besides the entries, only this folder chooses a backend.

import type { Compiler } from '../../engine/compiler.js';
import { Tokenizer } from '../../index.js';
import { nativeCompiler } from '../../hosts/addon/addon-compiler.js';
import { vocabularyOf } from '../../api/tokenizer.js';
import type { Vocabulary } from '../../vocabularies/vocabulary.js';
import { wasmCompilerHere } from '../../hosts/module/modules-in-node.js';
import { kindInNode } from '../../hosts/kind-in-node.js';

/** Opens what `Tokenizer.loadSync` opens. */
export function open(source: string | Uint8Array): Vocabulary {
  return vocabularyOf(Tokenizer.loadSync(source));
}

/** Compiles on this thread. */
export function compiler(): Compiler {
  return kindInNode({}) === 'native' ? nativeCompiler() : wasmCompilerHere();
}
