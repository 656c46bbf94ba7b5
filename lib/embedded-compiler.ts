// The compiler as the package embeds it in JavaScript, brought when something is first compiled.

import type { Compiler } from './compiler.js';
import { bytesOfText } from './embedded-bytes.js';
import { wasmCompiler } from './wasm-compiler.js';
import { wasm } from './wasm-module.js';

let compiler: Promise<Compiler> | undefined;

/** The module is compiled once. */
export function embeddedCompiler(): Promise<Compiler> {
  compiler ??= bring();
  compiler.catch(() => {
    compiler = undefined; // what has failed may succeed another time
  });
  return compiler;
}

async function bring(): Promise<Compiler> {
  const { default: text } = await import('./embedded/build.js');
  return wasmCompiler(await wasm.compile(bytesOfText(text)));
}
