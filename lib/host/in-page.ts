// How the drop-ins load vocabularies in browsers: everything is embedded in scripts, so that nothing is asynchronous.

import type { Compiler } from '../compile/compiler.js';
import build from '../embedded/build.js';
import { bytesOfText } from '../open/embedded-bytes.js';
import { wasmCompiler } from '../wasm/compiler.js';
import { moduleNow } from '../wasm/module.js';

export { Tokenizer } from '../inline.js';

let made: Compiler | undefined;

/** Compiles on this thread. */
export function compiler(): Compiler {
  made ??= wasmCompiler(moduleNow(bytesOfText(build)));
  return made;
}
