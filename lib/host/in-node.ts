// How the drop-ins load vocabularies in Node. They import this as `#host`, or as `#compiling-host` if they compile; in
// browsers the bundler uses in-page.ts and compiling-in-page.ts instead. Besides the entries, only this folder chooses a
// backend.

import type { Compiler } from '../compile/compiler.js';
import { missing } from '../native/addon.js';
import { nativeCompiler } from '../native/compiler.js';
import { hasWasm, wasmCompilerHere } from '../wasm/in-node.js';

export { Tokenizer } from '../index.js';

/** Compiles on this thread. */
export function compiler(): Compiler {
  return !missing || process.env.CRAYON_ADDON || !hasWasm() ? nativeCompiler() : wasmCompilerHere();
}
