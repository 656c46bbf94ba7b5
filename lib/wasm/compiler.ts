// The compiler in WebAssembly: the module `build`, instantiated once per job, whose memory is released with it.

import type { WasmModule } from '../open/source.js';
import type { Compiler } from '../compile/compiler.js';
import { compilerOn } from '../engine/compiler.js';
import { Arena } from './arena.js';
import { WasmCore } from './core.js';
import { compilerIn } from './functions/compiler.js';
import { openCartridge } from './open.js';

/** Compiles with the module `build`. */
export function wasmCompiler(module: WasmModule): Compiler {
  return compilerOn(() => {
    const core = new WasmCore(module);
    const arena = new Arena(core);
    return {
      engine: Object.assign(arena, compilerIn(arena)),
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
