// How the drop-ins load vocabularies in Node. They import this as `#host`, or `#compiling-host` if they compile; for
// browsers the bundler uses in-page.ts and compiling-in-page.ts instead. Besides the entries, only this folder chooses a
// backend.

import { readFileSync } from 'node:fs';

import type { Compiler } from '../compile/compiler.js';
import { missing } from '../native/addon.js';
import { nativeCompiler } from '../native/compiler.js';
import { wasmCompiler } from '../wasm/compiler.js';
import { buildModulePath, hasWasm } from '../wasm/in-node.js';
import { moduleNow } from '../wasm/module.js';

export { Tokenizer } from '../index.js';

let inWasm: Compiler | undefined;

/** Compiles on this thread. */
export function compiler(): Compiler {
  if (!missing || process.env.CRAYON_ADDON || !hasWasm()) return nativeCompiler();
  inWasm ??= wasmCompiler(moduleNow(readFileSync(buildModulePath())));
  return inWasm;
}
