// The compiler in WebAssembly: the module `build`, instantiated once per job, whose memory is released with it.

import type { Compiler } from '../compile/compiler.js';
import { compilerOn } from '../engine/compiler.js';
import type { WasmModule } from '../open/wasm-source.js';
import { wasmBinding } from './binding.js';
import { WasmCore } from './core.js';
import { openCartridge } from './open.js';

/** Compiles with the module `build`. */
export function wasmCompiler(module: WasmModule): Compiler {
  return compilerOn(() => {
    const core = new WasmCore(module);
    return {
      engine: wasmBinding(core),
      withCartridge(source, dat, use) {
        if (typeof source === 'string') throw new Error(`WebAssembly opens no files: ${source}`);
        try {
          return use(openCartridge(core, source, { dat }, undefined));
        } catch (error) {
          throw core.caught(error);
        }
      },
    };
  });
}
