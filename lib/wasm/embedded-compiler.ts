// The compiler module embedded in JavaScript, loaded by the first compilation.

import type { Compiler } from '../compile/compiler.js';
import { bytesOfText } from '../open/embedded-bytes.js';
import { wasmCompiler } from './compiler.js';
import { explainPolicy, wasm } from './module.js';

let compiler: Promise<Compiler> | undefined;

/** The module is compiled once. */
export function embeddedCompiler(): Promise<Compiler> {
  compiler ??= load();
  compiler.catch(() => {
    compiler = undefined; // a retry may succeed
  });
  return compiler;
}

async function load(): Promise<Compiler> {
  const { default: text } = await import('../embedded/build.js');
  try {
    return wasmCompiler(await wasm.compile(bytesOfText(text)));
  } catch (error) {
    throw explainPolicy(error);
  }
}
